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
	SDT_SECTIONS_MAX = 8, /* that are kept */
	/* sections of the new PAT: all programs and the network PID */
	PAT_SECTIONS_MAX = (PSI_PROGRAMS_MAX + 1 + PAT_PROGRAMS_MAX - 1) /
			   PAT_PROGRAMS_MAX,
};

/* The parts of a route: what happens to the packets of a source PID. */
enum {
	ROUTE_PID = 0x1fff,  /* mask of the output PID */
	ROUTE_OUT = 0x2000,  /* flag: the packets go out */
	ROUTE_INSPECT = 0x4000, /* flag: the packets are inspected, by role */
	ROUTE_ABSENT = 0x8000,  /* flag: see remux_absent.c */
};

/* Why the packets of a PID are inspected. */
enum role {
	ROLE_NONE,  /* no reason, or only the PCR is read */
	ROLE_NULL,
	ROLE_PSI,
	ROLE_STRIP, /* only the PCR goes out */
	/* tables that have a collector: */
	ROLE_CAT,
	ROLE_NIT,
	ROLE_SDT,
	ROLE_EIT,
	ROLE_TIME,
	ROLE_PSIP,
};

enum { TABLE_ROLES = ROLE_PSIP - ROLE_CAT + 1 };

/* A section; len 0: none. */
struct table {
	size_t len;
	uint8_t data[SECTION_PSI_MAX];
};

struct program {
	uint16_t number;     /* program_number in the source */
	uint16_t pmt_pid;    /* PMT PID in the source */
	struct table source; /* the last PMT of the source */
	struct table pmt;    /* the PMT of the output */
	struct pmt_omitted omitted; /* from pmt */
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
	size_t next_pmt; /* index of the first PMT that is not queued yet */
	size_t pmts_left; /* PMTs of this round that have not begun to go out */
};

/* Generated packets that wait for a place.  The times are numbers of packets of
 * the source. */
struct waiting {
	struct section_queue queue;
	uint64_t served_at;  /* the last packet went out, or the first was
			      * queued */
	uint64_t blocked_to; /* no packet may go out earlier */
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
	bool descrambled; /* ECMs do not go out, unless pass_ca */
	enum table_origin nit, eit; /* see remux_config */
	uint16_t onid, new_onid; /* the same */
	uint16_t source_onid; /* in the SDT of the source; 0: not known */
	bool listed[2]; /* ids.listed, of its NIT and of its BAT */
	struct service_spec *services; /* see remux_config */
	size_t n_services;
	/* Services whose EIT have another origin than eit, by their number in
	 * the output, and in the source. */
	struct eit_origin *given, *origins;
	size_t n_given, n_origins;
	const struct cas_list *cas; /* see remux_config; or NULL */
	struct table_versions *versions;
	struct remux_versions first;
	struct si_versions *si; /* see remux_config; or NULL */
	uint32_t source;        /* number of the source in si */
	const struct remux_place *place; /* see remux_config; or NULL */
	uint32_t builds;        /* calls of remux_rebuild() */
	struct remux_counters counted;

	struct remux_guest guest;

	/* the source */
	struct psi *psi;
	struct collector in[TABLE_ROLES]; /* from ROLE_CAT on */
	struct table cat_source[CAT_SECTIONS_MAX];
	struct table sdt_source; /* the section with service sdt_number */
	uint16_t sdt_number;
	/* The service whose SDT the source may still send, until sdt_due, in
	 * ticks of the clock; 0: none. */
	uint16_t sdt_awaited;
	bool sdt_waits; /* the own SDT does not go out before that */
	uint64_t sdt_due;
	/* with a place: those of the SDT of a whole multiplex */
	struct table sdt_whole[SDT_SECTIONS_MAX];
	struct psip_vct vcts[PSIP_VCTS]; /* of the output */

	/* derived from the source */
	bool single;     /* only a single program goes out */
	bool keep_nulls;
	uint16_t tsid, new_tsid;
	bool settled;    /* remux_has_settled(): the known programs go out */
	bool round;      /* a known PMT came again since the PAT */
	/* packets and stream time at which the PAT became known */
	uint64_t pat_at, pat_ticks;
	uint16_t network_source; /* the PID of the NIT in the source */
	uint16_t network_pid; /* ... and in the new PAT; 0: none */
	size_t n_programs;    /* selected programs */
	struct program *programs;
	struct pid_plan plan;
	uint16_t route[TS_PIDS];
	uint8_t role[TS_PIDS]; /* enum role */
	uint8_t absent[TS_PIDS]; /* see remux_absent.c */
	/* each output PID has the source PID that was sent on it last, if cc
	 * has its counter; 0: none */
	uint16_t sender[TS_PIDS];

	/* the output */
	struct table pat[PAT_SECTIONS_MAX];
	size_t n_pat;
	struct table cat[CAT_SECTIONS_MAX];
	struct table sdt, ait;
	struct sdt_omitted sdt_omitted; /* from sdt */
	/* of remux_is_crowded(): 1 more than extension and number of the
	 * section; 0: none */
	uint32_t crowded[EDIT_TABLES];
	/* the next counter of generated PIDs, and of those of the source that
	 * are moved or inspected */
	uint8_t cc[TS_PIDS];
	struct stream_clock clock;
	uint16_t clock_pid;
	struct schedule due;
	struct waiting psi_waiting; /* PAT and PMT */
	struct waiting si_waiting;
	unsigned psi_in_row; /* shared places that PAT and PMT used in a row */
	/* packets of the source since remux_new(), and their number at ... */
	uint64_t packets;
	uint64_t pcr_at;    /* ... the last PCR of the clock */
	uint32_t sent_at[TS_PIDS]; /* ... the last generated packet; 32 bits */
	/* least distance of generated packets of a PID, in packets; 0:
	 * unknown */
	unsigned spacing;
	uint64_t now_ns;
	struct runs_out out;
};

/* remux_plan.c: after a change of the source's tables.  A multiplex goes out
 * when the PMTs of all its programs are known, or after the time in which they
 * should have come: the others do not wait for a program without a PMT. */
void remux_rebuild(struct remux *);
bool remux_has_settled(const struct remux *);
/* Takes a packet of PAT or PMT that changes no table, to notice that PMTs
 * repeat. */
void remux_note_round(struct remux *, const uint8_t *packet);

/* remux_route.c: sets the routes from the plan of PIDs. */
void remux_route(struct remux *);

/* remux_absent.c: the counters of PIDs that do not go out for a time. */
/* Compares the new routes with the routes before, and notes PIDs that begin or
 * cease to go out. */
void remux_absent_renew(struct remux *, const uint16_t *before,
			const uint8_t *before_role);
/* Takes a packet of a PID with ROUTE_ABSENT that is not sent. */
void remux_absent_drop(struct remux *, const uint8_t *packet);
/* Takes a packet of a PID with ROUTE_ABSENT before it is sent; *ret_cc is its
 * counter.  False: the packet must not go out, because its unit began before;
 * then *ret_cc is the counter for its PCR alone. */
bool remux_absent_pass(struct remux *, const uint8_t *packet, uint8_t *ret_cc);
/* Takes a packet of a PID with ROLE_STRIP, of which only the PCR goes out.
 * Returns the counter for it. */
uint8_t remux_absent_strip(struct remux *, const uint8_t *packet);

/* remux_build.c */
/* Replaces the section; false: the new section is the same. */
bool remux_keep(struct table *, const uint8_t *section, size_t len);
void remux_build_pmt(struct remux *, struct program *);
/* Builds the PAT; true if it has changed. */
bool remux_build_pat(struct remux *);
void remux_build_cat(struct remux *);
/* Builds the SDT after its service may have begun, changed or ended. */
void remux_build_sdt(struct remux *);
/* The entry of `sdt' that names a service of the output; NULL: none. */
const struct service_spec *remux_entry(const struct remux *, uint16_t number);
struct sdt_marks;
/* What the SDT says of the services of the output. */
struct sdt_marks remux_sdt_marks(const struct remux *);
void remux_build_ait(struct remux *);

/* remux_tables.c: takes a packet of a PID that carries tables. */
void remux_take_table(struct remux *, const uint8_t *packet, enum role);

/* remux_psip.c */
/* Do the tables of ATSC go out, reduced to the program? */
bool remux_reduces_psip(const struct remux *);
/* Takes a section of the base PID of ATSC. */
void remux_take_psip(struct remux *, const uint8_t *section, size_t len);

/* remux_emit.c */
/* Queues the tables that are due. */
void remux_schedule(struct remux *);
/* Queues a section; counts it as dropped if the queue is full. */
void remux_queue(struct remux *, struct waiting *, uint16_t pid,
		 const uint8_t *section, size_t len);
/* Sends the changed PMTs and the PAT at once. */
void remux_announce(struct remux *);
/* Offers the place of a dropped packet of the source; true: a generated packet
 * replaced it.  The place of a PAT or PMT goes to PAT and PMT first.  The place
 * of another table goes to other tables first, regardless of the spacing. */
bool remux_take_place(struct remux *, enum place);
/* Called before a packet goes out: inserts a generated packet when its queue
 * had no place for a while. */
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
