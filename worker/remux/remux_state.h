/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data of a remux; for the files of this folder only. */
#pragma once

#include "worker/remux/ids.h"
#include "worker/remux/pid_plan.h"
#include "worker/remux/psip_build.h"
#include "worker/remux/remux.h"
#include "worker/remux/runs_out.h"
#include "worker/remux/section_queue.h"
#include "worker/remux/stream_clock.h"
#include "worker/ts/pat.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#define MS_TICKS (PCR_HZ / 1000)

enum {
	CAT_SECTIONS_MAX = 4,
	SDT_SECTIONS_MAX = 8, /* sections of the SDT of a whole multiplex that
			       * are stored */
	/* sections of the PAT of the output, with all programs and the network
	 * PID */
	PAT_SECTIONS_MAX = (PSI_PROGRAMS_MAX + 1 + PAT_PROGRAMS_MAX - 1) /
			   PAT_PROGRAMS_MAX,
};

/* The parts of a route: what happens to the packets of a source PID. */
enum {
	ROUTE_PID = 0x1fff,  /* mask of the output PID */
	ROUTE_OUT = 0x2000,  /* flag: the packets are sent */
	ROUTE_INSPECT = 0x4000, /* flag: each packet is inspected, by the role
				 * of its PID */
	ROUTE_ABSENT = 0x8000,  /* flag: the counters of the PID are managed
				 * (remux_absent.c) */
};

/* Why the packets of a PID are inspected. */
enum role {
	ROLE_NONE,  /* the packets are sent or dropped by the route; of the PCR
		     * PID, the PCR is read */
	ROLE_NULL,
	ROLE_PSI,
	ROLE_STRIP, /* only the PCRs of the PID are sent */
	/* tables that have a collector: */
	ROLE_CAT,
	ROLE_NIT,
	ROLE_SDT,
	ROLE_EIT,
	ROLE_TIME,
	ROLE_PSIP,
};

enum { TABLE_ROLES = ROLE_PSIP - ROLE_CAT + 1 };

/* A section; len 0: there is none. */
struct table {
	size_t len;
	uint8_t data[SECTION_PSI_MAX];
};

struct program {
	uint16_t number;     /* program_number in the source */
	uint16_t pmt_pid;    /* PMT PID in the source */
	struct table source; /* the last PMT of the source */
	struct table pmt;    /* the PMT of the output */
	struct pmt_omitted omitted; /* parts for which `pmt' has no room */
	uint16_t pmt_out;    /* PID of the PMT in the output */
	struct ids ids;
	bool has_video;
	bool changed;        /* pmt or pmt_out has changed */
};

/* Assembles the sections of a PID other than PAT and PMT. */
struct collector {
	struct section_assembler assembler;
	uint8_t buffer[SECTION_MAX];
};

/* When each table is due, in ticks of the clock. */
struct schedule {
	uint64_t pat, pmt, cat, sdt, ait;
	size_t next_pmt; /* index of the program whose PMT is queued next */
	size_t pmts_left; /* PMTs of this interval whose first packet was not
			   * sent yet */
};

/* Generated packets that wait for a place.  The times are numbers of packets of
 * the source. */
struct waiting {
	struct section_queue queue;
	uint64_t served_at;  /* when the last packet of the queue was sent, or,
			      * behind an empty queue, the first one was
			      * queued */
	uint64_t blocked_to; /* no packet of the queue may be sent earlier; 0:
			      * not known */
};

/* A place for a generated packet. */
enum place {
	PLACE_PSI,  /* a packet with PAT or PMT was dropped */
	PLACE_SI,   /* a packet with other tables was dropped */
	PLACE_OTHER,
};

struct remux {
	struct remux_options options;
	bool transparent; /* remux_options_given() is false */
	bool descrambled; /* the source is descrambled, so that its ECMs are
			   * dropped; false with pass_ca */
	enum table_origin nit, eit; /* as in remux_config */
	uint16_t onid, new_onid; /* as in remux_config */
	uint16_t source_onid; /* original_network_id in the SDT of the source;
			       * 0: not known */
	bool listed[2]; /* ids.listed of the NIT [0] and of the BAT [1] of the
			 * source */
	struct service_spec *services; /* as in remux_config */
	size_t n_services;
	/* Services whose EIT has an origin of its own: in `given' by their
	 * number in the output, in `origins' by that in the source. */
	struct eit_origin *given, *origins;
	size_t n_given, n_origins;
	const struct cas_list *cas; /* as in remux_config */
	struct table_versions *versions;
	struct remux_versions first;
	struct si_versions *si; /* as in remux_config */
	uint32_t source;        /* number of the source in si */
	const struct remux_place *place; /* as in remux_config */
	uint32_t builds;        /* calls of remux_rebuild() */
	struct remux_counters counted;

	struct remux_guest guest;

	/* What was read of the source. */
	struct psi *psi;
	struct collector in[TABLE_ROLES]; /* for each role from ROLE_CAT on */
	struct table cat_source[CAT_SECTIONS_MAX];
	struct table sdt_source; /* the section with service sdt_number */
	uint16_t sdt_number;
	/* Until sdt_due, in ticks of `clock', the SDT waits for an entry of the
	 * source for the service sdt_awaited; 0: it has not waited. */
	uint16_t sdt_awaited;
	bool sdt_waits; /* the SDT without an entry of the source is held back
			 * until sdt_due */
	uint64_t sdt_due;
	/* for an input of a multiplex (place) of which several programs are
	 * sent: sections of the SDT, as the source sent them */
	struct table sdt_whole[SDT_SECTIONS_MAX];
	struct psip_vct vcts[PSIP_VCTS]; /* the VCTs of the output */

	/* What was derived from the source. */
	bool single;     /* only a single program is sent */
	bool keep_nulls; /* null packets pass */
	uint16_t tsid, new_tsid;
	bool settled;    /* remux_has_settled() was true: the known programs are
			  * sent */
	bool round;      /* since the PAT, a PMT that was known arrived again */
	/* when the PAT became known: `packets', and ticks of `clock' */
	uint64_t pat_at, pat_ticks;
	uint16_t network_source; /* PID of the NIT in the source */
	uint16_t network_pid; /* PID of the NIT in the PAT of the output; 0:
			       * none */
	size_t n_programs;    /* selected programs */
	struct program *programs;
	struct pid_plan plan;
	uint16_t route[TS_PIDS];
	uint8_t role[TS_PIDS]; /* for each source PID: enum role */
	uint8_t absent[TS_PIDS]; /* for each source PID: its state, as in
				  * remux_absent.c */
	/* for each output PID: the source PID whose packets were sent on it
	 * last, if `cc' has their counter; 0: none */
	uint16_t sender[TS_PIDS];

	/* What the output has. */
	struct table pat[PAT_SECTIONS_MAX];
	size_t n_pat;
	struct table cat[CAT_SECTIONS_MAX];
	struct table sdt, ait;
	struct sdt_omitted sdt_omitted; /* parts for which `sdt' has no room */
	/* for remux_is_crowded(): 1 + (extension << 8 | number) of a section
	 * that has no room; 0: none */
	uint32_t crowded[EDIT_TABLES];
	/* for each output PID with generated, moved or inspected packets: the
	 * continuity counter of the next packet */
	uint8_t cc[TS_PIDS];
	struct stream_clock clock;
	uint16_t clock_pid;
	struct schedule due;
	struct waiting psi_waiting; /* PAT and PMT */
	struct waiting si_waiting;
	unsigned psi_in_row; /* packets of PAT and PMT in a row that were sent
			      * at places of other packets */
	/* packets that the source has sent since remux_new() */
	uint64_t packets;
	uint64_t pcr_at;    /* `packets' at the last PCR of the clock */
	uint32_t sent_at[TS_PIDS]; /* for each PID: `packets' at the last
				    * generated packet, modulo 2^32 */
	/* least distance between two generated packets of a PID, in packets of
	 * the source; 0: unknown */
	unsigned spacing;
	uint64_t now_ns;
	struct runs_out out;
};

/* remux_plan.c: derives the output again after a change of the source's tables.
 * Sending begins when the PMTs of all programs are known (remux_has_settled()),
 * or after the time in which they should have arrived, so that the other
 * programs do not wait for one without a PMT. */
void remux_rebuild(struct remux *);
bool remux_has_settled(const struct remux *);
/* Takes a packet of PAT or PMT that changes no table, to notice that PMTs
 * repeat. */
void remux_note_round(struct remux *, const uint8_t *packet);

/* remux_route.c: sets the routes from the plan of PIDs. */
void remux_route(struct remux *);

/* remux_absent.c: the counters of PIDs whose packets are not sent for a
 * time. */
/* Compares the new routes with those before the change, and stores which PIDs
 * begin or cease to be sent. */
void remux_absent_renew(struct remux *, const uint16_t *before,
			const uint8_t *before_role);
/* Takes a packet of a PID with ROUTE_ABSENT that is not sent. */
void remux_absent_drop(struct remux *, const uint8_t *packet);
/* Takes a packet of a PID with ROUTE_ABSENT before it is sent; *ret_cc is its
 * counter.  False: the packet must not be sent, because its unit began before;
 * *ret_cc is then the counter of a packet with its PCR alone. */
bool remux_absent_pass(struct remux *, const uint8_t *packet, uint8_t *ret_cc);
/* Takes a packet of a PID with ROLE_STRIP, of which only the PCR is sent.
 * Returns the counter of the packet with the PCR. */
uint8_t remux_absent_strip(struct remux *, const uint8_t *packet);

/* Functions of remux_build.c. */
/* Replaces the section; false: the new section is the same. */
bool remux_keep(struct table *, const uint8_t *section, size_t len);
void remux_build_pmt(struct remux *, struct program *);
/* Builds the PAT; true if it has changed. */
bool remux_build_pat(struct remux *);
void remux_build_cat(struct remux *);
/* Builds the SDT of the single service again. */
void remux_build_sdt(struct remux *);
/* The entry in `services' of the service with this number in the output; NULL:
 * none. */
const struct service_spec *remux_entry(const struct remux *, uint16_t number);
struct sdt_marks;
/* How the SDT of the output describes its services. */
struct sdt_marks remux_sdt_marks(const struct remux *);
void remux_build_ait(struct remux *);

/* remux_tables.c: takes a packet of a PID with tables other than PAT and
 * PMT. */
void remux_take_table(struct remux *, const uint8_t *packet, enum role);

/* Functions of remux_psip.c. */
/* Are the tables of ATSC sent, reduced to the program? */
bool remux_reduces_psip(const struct remux *);
/* Takes a section of the base PID of ATSC. */
void remux_take_psip(struct remux *, const uint8_t *section, size_t len);

/* Functions of remux_emit.c. */
/* Queues the tables that are due. */
void remux_schedule(struct remux *);
/* Queues a section; counts it as dropped if the queue is full. */
void remux_queue(struct remux *, struct waiting *, uint16_t pid,
		 const uint8_t *section, size_t len);
/* Sends the changed PMTs and the PAT at once. */
void remux_announce(struct remux *);
/* Offers the place of a dropped packet of the source to a generated packet.
 * True: one was sent.  The place of a PAT or PMT goes to PAT and PMT first.
 * The place of another table goes to other tables first, regardless of the
 * spacing. */
bool remux_take_place(struct remux *, enum place);
/* Called before a packet of the source is sent: inserts a generated packet if
 * its queue has got no place for some time. */
void remux_make_room(struct remux *);
/* Takes a packet of the PCR PID (clock_pid), to measure time and rate. */
void remux_take_clock(struct remux *, const uint8_t *packet);

static inline bool remux_passes_cat(const struct remux *r)
{
	return r->options.cat != TABLE_DROP && r->cas == NULL &&
	       (r->options.pass_ca || r->options.cat == TABLE_PASS);
}

static inline bool remux_passes_nit(const struct remux *r)
{
	return r->nit == ORIGIN_PASS &&
	       (r->options.nit == TABLE_PASS ||
		(r->options.nit == TABLE_DEFAULT && !r->single));
}

/* Do the sections of a table with this rule get the numbers of the output? */
static inline bool remux_renumbers(const struct remux *r, enum table_rule rule)
{
	return rule != TABLE_PASS || (r->transparent && r->new_onid != 0);
}

/* Forgets the network of the source, which has changed: its SDT is not known
 * yet. */
static inline void remux_forget_network(struct remux *r)
{
	r->source_onid = 0;
	r->listed[0] = r->listed[1] = false;
}

static inline bool remux_has_hbbtv(const struct remux *r)
{
	return r->single && r->options.hbbtv_url[0] != '\0';
}

static inline bool remux_has_queued(const struct remux *r)
{
	return r->psi_waiting.queue.n + r->si_waiting.queue.n > 0;
}
