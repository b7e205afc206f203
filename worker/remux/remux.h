/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Changes a source as its options demand: one program of several, other PIDs,
 * other numbers, and tables that match.
 *
 * PAT, PMT, CAT, SDT and AIT are built from the current tables of the source.
 * A change of the source's tables is sent in front of the first packet to which
 * it applies.  Until the PMT of a program is known, no packet of the program is
 * sent.  Known tables stay until the source replaces them by whole, valid
 * sections.
 *
 * One program (pnr, or a source with a single program):
 *	PAT, PMT    built, and sent ten times a second; if the source has many
 *	            PMTs and no null packets, perhaps only as often as there
 *	CAT         built for the systems of config.cas; without them, that of
 *	            the source, with the option cas or pass_cat only
 *	SDT         built for the one service; pass_sdt: unchanged
 *	EIT         of the service, with its new number; pass_eit: unchanged
 *	TDT, TOT    unchanged
 *	NIT         dropped; pass_nit: unchanged
 *	PSIP        of ATSC, on its base PID: MGT, VCT, RRT and STT.  The VCT
 *	            has the channels of the program, with its new numbers and
 *	            PIDs, since receivers list every channel of a VCT; the MGT
 *	            lists VCT and RRT, since the guide (EIT and ETT) has the
 *	            PIDs and events of all programs and is dropped
 *	all others  dropped
 * Several programs: SDT, EIT, NIT, BAT and the other tables of the transport
 * stream pass, with the new set_tsid and new_onid where they name it; options
 * that name or number the single service have no effect, but config.services
 * has.  PIDs that no table names count as private data.  With config.cas they
 * are dropped, because a component that must be scrambled could be on them.
 *
 * Without any option (remux_options_given()) everything passes, including
 * private data and PIDs that no table names, unless config.cas is given.
 * config.new_onid then changes the tables of the source, too.  Only PAT, PMT
 * and CAT are built, so that their versions continue across a change of the
 * source.  With config.si NIT, BAT, SDT and EIT are sent section by section, so
 * that their versions continue, too; in a table that an option passes, nothing
 * changes but the version and descriptors that options.edits names.
 *
 * Generated packets replace dropped packets and null packets; if there are too
 * few of these, generated packets are inserted.  Generated packets are spread
 * so that none of their PIDs has a burst.  The place of a dropped PAT or PMT
 * goes to a generated PAT or PMT first, the place of another table to another
 * table.  Other null packets pass, unless pnr selects one of several programs.
 *
 * Pure: PCRs and the caller provide the time.  Allocates when the tables of the
 * source change, never per packet.  Borrows the versions.
 */
#pragma once

#include "proto/spec/remux_options.h"
#include "proto/spec/tables_spec.h"
#include "worker/remux/place.h"
#include "worker/remux/si_versions.h"
#include "worker/remux/table_versions.h"
#include "worker/ts/packet.h"
#include "worker/ts/skips.h"

enum { GUEST_DESCRIPTORS_MAX = 255 };

/* The added stream: a stream of another source, or with cue messages (SCTE 35),
 * that is sent with the program, or with the first of several programs. */
struct remux_guest {
	uint16_t pid; /* the PID that is wanted; if it is in use, or for an
		       * input of a multiplex, a free PID replaces it; 0: no
		       * added stream */
	uint8_t type; /* stream_type; 0: unknown; the PMT then does not list the
		       * stream */
	uint8_t len;
	uint8_t descriptors[GUEST_DESCRIPTORS_MAX];
};

enum { PMT_OMITTED_TAGS = 8 };

/* The parts for which a PMT of 1,024 bytes has no room.  Streams that the PMT
 * does not list are not sent. */
struct pmt_omitted {
	size_t n_streams; /* streams without room: the last ones of the
			   * selection */
	size_t n_descriptors;
	uint8_t tags[PMT_OMITTED_TAGS]; /* of the first omitted descriptors */
	bool guest; /* the added stream has no room */
	bool ait;   /* the AIT of hbbtv_url has no room */
};

/* The parts that have no room in the SDT of a single service. */
struct sdt_omitted {
	size_t n_descriptors;
	uint8_t tags[PMT_OMITTED_TAGS]; /* of the first omitted descriptors */
	bool provider; /* the provider name of the source has no room beside a
			* longer service name */
	bool name;     /* the service name was cut */
};

struct cas_list;
struct psi;
struct remux;

/* The version of each kind of table that the stream has not sent before. */
struct remux_versions {
	uint8_t pat, pmt, cat, sdt;
};

struct remux_config {
	const struct remux_options *options; /* copied */
	/* true: the source is descrambled, so CA descriptors, ECMs and EMMs
	 * pass only with the option cas */
	bool descrambled;
	/* ORIGIN_PASS: the NIT of the source may pass.  ORIGIN_OFF: it does
	 * not.  ORIGIN_OWN: it does not, and another stage sends a NIT, which
	 * the PAT names. */
	enum table_origin nit;
	/* The origin of the EIT of a service whose entry in `services' names
	 * none.  The EIT flags in the SDT follow the origin. */
	enum table_origin eit;
	/* original_network_id of the SDT that is built if the source has
	 * none */
	uint16_t onid;
	/* original_network_id that replaces the one in SDT and EIT actual, NIT
	 * and BAT of the source, unless an option passes them; 0: theirs
	 * stays */
	uint16_t new_onid;
	/* Services of the output: types and names for the SDT (service_desc.h),
	 * unless an option passes it, and the origin of their EIT; copied. */
	const struct service_spec *services;
	size_t n_services;
	/* The systems that scramble the output: their CA_descriptors are added,
	 * and those of the source pass in the PMT only with the option cas.
	 * Borrowed for the life of the remux; NULL: none. */
	const struct cas_list *cas;
	/* versions of the tables that the stream has sent; must outlive the
	 * remux */
	struct table_versions *versions;
	struct remux_versions first;
	/* the versions of passed tables, for a stream with several sources;
	 * NULL: passed tables keep their version */
	struct si_versions *si;
	uint32_t source; /* number of this source in si, from 1 */
	/* The numbers that PIDs and programs may get, for an input of a
	 * multiplex (place.h); borrowed for the life of the remux; NULL: no
	 * multiplex.  With a place PIDs that no table names are dropped. */
	const struct remux_place *place;
	ts_out_fn *out;
	void *arg;
};

enum remux_state { /* What is known of the tables of the program. */
	REMUX_NO_PAT,
	REMUX_NO_PROGRAM, /* the PAT does not list the program */
	REMUX_NO_PMT,
	REMUX_READY, /* the program is sent */
};

/* Counted since remux_new(). */
struct remux_counters {
	uint64_t tables;  /* changes of the source's PAT and PMTs */
	uint64_t broken;  /* malformed sections; of PAT and PMT also those with
			   * a wrong CRC_32 */
	uint64_t dropped; /* sections that had no room in the queue of generated
			   * packets */
};

struct remux *remux_new(const struct remux_config *);
void remux_free(struct remux **);

/* Forgets the tables, because another source begins.  The continuity counters
 * continue. */
void remux_reset(struct remux *);

/* Takes packets of the source, and passes those of the output to out(), which
 * must not free the remux. */
void remux_feed(struct remux *, const struct ts_run *runs, size_t n_runs,
		uint64_t now_ns);

/* As remux_feed(), for an input that skips packets that would be dropped.
 * Generated packets may take the places of skipped packets.  skips: borrowed
 * for the call; NULL: none was skipped. */
void remux_feed_chosen(struct remux *, const struct ts_run *runs,
		       size_t n_runs, const struct ts_skips *skips,
		       uint64_t now_ns);

/* Sets or replaces the added stream. */
void remux_set_guest(struct remux *, const struct remux_guest *);
/* The output PID of the added stream; 0: it has none, or no packets are sent
 * yet. */
uint16_t remux_guest_pid(const struct remux *);
/* Sends a packet of the added stream, in front of the packets of the next feed.
 * Drops it while remux_guest_pid() is 0. */
void remux_add_guest(struct remux *, const uint8_t *packet);

/* The PCR PID, in the source, of the program or of the first of several;
 * 0x1fff: unknown. */
uint16_t remux_clock_pid(const struct remux *);

/* The state of the tables of the program, or of the first of several. */
enum remux_state remux_state(const struct remux *);

/* The tables of the source; borrowed, valid for the life of the remux.  NULL:
 * the option pnr is set, so that only the tables of that program are read. */
const struct psi *remux_psi(const struct remux *);

/* A program of the source. */
struct remux_service {
	uint16_t number;     /* program_number in the source */
	uint16_t new_number; /* program_number in the output */
	uint16_t pmt_pid;    /* PMT PID in the output */
};

/* Writes the programs that are sent to ret, at most max; returns their
 * number. */
size_t remux_services(const struct remux *, struct remux_service *ret,
		      size_t max);

/* Why a PID of the source has its number in the output. */
enum pid_origin {
	PID_BY_MAP,
	PID_KEPT,    /* it has the number of the source */
	PID_MOVED,   /* it has a free number, which for an input of a multiplex
		      * is one of its block (place.h) */
	PID_ADDED,   /* PID of the added stream */
	PID_BY_HBBTV, /* PID of the generated AIT of hbbtv_url, which has no PID
		       * in the source */
};

enum { REMUX_PIDS_ADDED = 2 };

struct remux_pid {
	uint16_t pid; /* PID in the source; 0: none */
	uint16_t out; /* PID in the output; 0: no PID was free, so that its
		       * packets are dropped */
	enum pid_origin origin;
};

/* Lists PIDs that the tables name, with their output PIDs, from source PID *at
 * on.  If *at is 0, up to REMUX_PIDS_ADDED PIDs are in front of them: those of
 * the added stream and of the AIT.  Writes at most max PIDs, which is at least
 * REMUX_PIDS_ADDED, and returns their number.  *at becomes the PID for the next
 * call; 0: the list is complete. */
size_t remux_pids(const struct remux *, uint16_t *at, struct remux_pid *ret,
		  size_t max);

/* The PMT of the program with this number in the output, borrowed until the
 * next feed; NULL: none. */
const uint8_t *remux_pmt(const struct remux *, uint16_t new_number,
			 size_t *ret_len);

/* remux_keep_tables() passes the current sections of PAT, PMTs, CAT and SDT of
 * the source to fn; an SDT of several programs only for an input of a multiplex
 * (config.place).  Another remux with the same options that receives them
 * builds the same tables. */
typedef void remux_section_fn(uint16_t pid, const uint8_t *section, size_t len,
			      void *arg);
void remux_keep_tables(const struct remux *, remux_section_fn *fn, void *arg);
/* Passes the sections of CAT and SDT of the output to fn. */
void remux_made_tables(struct remux *, remux_section_fn *fn, void *arg);

/* Writes the programs that are not sent to ret, at most max; returns their
 * number.  new_number is 0 if the place (place.h) has no number left. */
size_t remux_unsent(const struct remux *, struct remux_service *ret,
		    size_t max);

/* The number of programs that are not sent because the place (place.h) has no
 * number left for them. */
size_t remux_unnumbered(const struct remux *);

/* Writes to ret the source PIDs of maps that have no effect, because no PMT of
 * a program that is sent lists the PID.  Begins with map number `from' of the
 * options.  Writes at most max PIDs and returns their number; 0 as long as a
 * PMT is missing. */
size_t remux_unlisted(const struct remux *, size_t from, uint16_t *ret,
		      size_t max);

/* True if only a single program is sent.  SDT and EIT of the output then have
 * its new number.  Otherwise they keep the numbers of the source. */
bool remux_is_single(const struct remux *);

/* Adds the PIDs of the output to a bit set (place.h). */
void remux_add_pids(const struct remux *, uint64_t *ret);

/* Does the output have this PID? */
bool remux_sends_pid(const struct remux *, uint16_t pid);

/* How often programs, PIDs and tables were derived from the tables of the
 * source; a change of the number shows that they may have changed. */
uint32_t remux_builds(const struct remux *);

/* Derives programs, PIDs and tables again.  Call it when the content of
 * config.place has changed. */
void remux_replan(struct remux *);

void remux_counters(const struct remux *, struct remux_counters *ret);

/* Finds the next PMT that has no room for some parts, from program *at on (the
 * first one is 0), and sets *at to the next program.  NULL: no further PMT
 * lacks parts.  *ret_program: the program's number in the output. */
const struct pmt_omitted *remux_omitted(const struct remux *, size_t *at,
					uint16_t *ret_program);

/* The parts for which the SDT of the single service has no room; NULL: none. */
const struct sdt_omitted *remux_omitted_sdt(const struct remux *);
/* True if a passed SDT, NIT or BAT has no room for descriptors that the
 * configuration changes, so that it was sent unchanged. */
bool remux_is_crowded(const struct remux *, enum edit_table);
