/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Changes a source as its options demand: one program of several, other PIDs,
 * other numbers, and tables that match.
 *
 * PAT, PMT, CAT, SDT and AIT are built from the current tables of the source.
 * A change of the source's tables goes out before the first packet that it
 * concerns.  Until the tables of a program are known, none of its packets go
 * out.  Known tables stay until the source replaces them by whole, valid
 * sections.
 *
 * One program (pnr, or a source with a single program):
 *	PAT, PMT    built, ten times a second; many PMTs in a source without
 *	            null packets may be as rare as in the source
 *	CAT         of the systems of config.cas, else only with cas or
 *	            pass_cat
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
 * that name or number a service have no effect.  PIDs that no table names count
 * as private data.  With config.cas they are dropped: what they carry is not
 * known.
 *
 * Without any option (remux_options_given()) everything passes, including
 * private data and PIDs that no table names, unless config.cas is given.
 * config.new_onid changes the tables of the source then, too.  Only PAT, PMT
 * and CAT are built, so that their versions continue across a change
 * of the source.  With config.si NIT, BAT, SDT and EIT go out section by
 * section, for the same reason: in a table that an option passes, only the
 * version changes.
 *
 * Generated packets replace dropped packets and null packets.  They are spread
 * so that none of their PIDs has a burst.  The places of dropped PMTs go to
 * PMTs, those of SDT, EIT and NIT to these.  Null packets of a source with one
 * program, and of a whole multiplex, stay.
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

/* The added stream: a stream of another source that goes out with the program,
 * or with the first of several programs. */
struct remux_guest {
	uint16_t pid; /* 0: none; replaced by a free PID if it is in use */
	uint8_t type; /* stream_type; 0: unknown, the PMT omits the stream */
	uint8_t len;
	uint8_t descriptors[GUEST_DESCRIPTORS_MAX];
};

enum { PMT_OMITTED_TAGS = 8 };

/* The parts that have no room in a PMT of 1,024 bytes.  Streams that it does
 * not list do not go out. */
struct pmt_omitted {
	size_t n_streams; /* the last ones that were selected */
	size_t n_descriptors;
	uint8_t tags[PMT_OMITTED_TAGS]; /* of the first ones */
	bool guest; /* the added stream */
	bool ait;   /* the AIT of hbbtv_url */
};

/* The parts that have no room in the SDT of a single service. */
struct sdt_omitted {
	size_t n_descriptors;
	uint8_t tags[PMT_OMITTED_TAGS]; /* of the first ones */
	bool provider; /* that of the source, beside a longer name */
	bool name;     /* its end */
};

struct cas_list;
struct psi;
struct remux;

/* The version with which each table starts. */
struct remux_versions {
	uint8_t pat, pmt, cat, sdt;
};

struct remux_config {
	const struct remux_options *options; /* copied */
	/* CA descriptors, ECMs and EMMs pass only with the option cas */
	bool descrambled;
	/* ORIGIN_OWN: another stage sends a NIT, which the PAT names; it and
	 * ORIGIN_OFF: the NIT of the source does not pass. */
	enum table_origin nit;
	/* The origin of the EIT of services for which no entry names one.
	 * Their SDT has the flags. */
	enum table_origin eit;
	/* original_network_id of an SDT that the source does not have */
	uint16_t onid;
	/* that of SDT and EIT actual, NIT and BAT of the source, unless they
	 * pass by option; 0: their own */
	uint16_t new_onid;
	/* The types and names of services of the output, which their SDT gets
	 * (service_desc.h), unless it passes by option, and the origin of their
	 * EIT; copied. */
	const struct service_spec *services;
	size_t n_services;
	/* The systems that scramble the output: their CA descriptors are added,
	 * and those of the source pass only with the option cas.  Borrowed for
	 * the life of the remux; NULL: none. */
	const struct cas_list *cas;
	/* the versions of the stream; they must outlive the remux */
	struct table_versions *versions;
	struct remux_versions first;
	/* the versions of passed tables, for a stream with several sources;
	 * NULL: passed tables keep their version */
	struct si_versions *si;
	uint32_t source; /* number of this source in si, from 1 */
	/* Where PIDs and numbers of the source go, for an input of a multiplex
	 * (place.h); borrowed for the life of the remux; NULL: none.  With a
	 * place nothing passes that no table names. */
	const struct remux_place *place;
	ts_out_fn *out;
	void *arg;
};

enum remux_state {
	REMUX_NO_PAT,
	REMUX_NO_PROGRAM, /* the PAT does not list the program */
	REMUX_NO_PMT,
	REMUX_READY,
};

/* Counted since remux_new(). */
struct remux_counters {
	uint64_t tables;  /* changes of the source's PAT and PMTs */
	uint64_t broken;  /* malformed sections */
	uint64_t dropped; /* sections that found no room in the queue */
};

struct remux *remux_new(const struct remux_config *);
void remux_free(struct remux **);

/* Forgets the tables, because another source begins.  The continuity counters
 * continue. */
void remux_reset(struct remux *);

/* Calls out() if packets go out.  out() must not free the remux. */
void remux_feed(struct remux *, const struct ts_run *runs, size_t n_runs,
		uint64_t now_ns);

/* As remux_feed(), for an input that skips packets that would not go out.  The
 * places of skipped packets are those of dropped packets.  skips: borrowed for
 * the call; NULL: none was skipped. */
void remux_feed_chosen(struct remux *, const struct ts_run *runs,
		       size_t n_runs, const struct ts_skips *skips,
		       uint64_t now_ns);

/* Sets or replaces the added stream. */
void remux_set_guest(struct remux *, const struct remux_guest *);
/* The output PID of the added stream; 0: no packets go out yet. */
uint16_t remux_guest_pid(const struct remux *);
/* Sends a packet of the added stream in front of the next feed; drops it while
 * remux_guest_pid() is 0. */
void remux_add_guest(struct remux *, const uint8_t *packet);

/* The PCR PID, in the source, of the program or of the first of several;
 * 0x1fff: unknown. */
uint16_t remux_clock_pid(const struct remux *);

/* The state of the tables of the program, or of the first of several. */
enum remux_state remux_state(const struct remux *);

/* The tables of the source; borrowed, valid for the life of the remux.  NULL:
 * with pnr it reads the tables of that program only. */
const struct psi *remux_psi(const struct remux *);

/* The stream of the output at which a receiver begins: the first video, or else
 * audio, of the first program.  False: there is none, or it is not known. */
struct pmt_stream;
bool remux_main_stream(const struct remux *, struct pmt_stream *ret);

/* A program that goes out. */
struct remux_service {
	uint16_t number;     /* in the source ... */
	uint16_t new_number; /* ... and in the output */
	uint16_t pmt_pid;    /* in the output */
};

/* Writes the programs that go out to ret, at most max; returns their number. */
size_t remux_services(const struct remux *, struct remux_service *ret,
		      size_t max);

/* Why a PID of the source has its number in the output. */
enum pid_origin {
	PID_BY_MAP,
	PID_KEPT,    /* it has the number of the source */
	PID_MOVED,   /* to a free number: of the block, with a place */
	PID_ADDED,   /* that of the added stream */
	PID_BY_HBBTV, /* that of the AIT of hbbtv_url; it has no source */
};

enum { REMUX_PIDS_ADDED = 2 };

struct remux_pid {
	uint16_t pid; /* in the source; 0: none */
	uint16_t out; /* in the output; 0: no PID was free, it does not go
		       * out */
	enum pid_origin origin;
};

/* Lists PIDs that the tables name, with their output PIDs, from source PID *at
 * on, at most max; up to REMUX_PIDS_ADDED of them have no source.  Returns
 * their number.  *at becomes the PID for the next call; 0: the list is
 * complete. */
size_t remux_pids(const struct remux *, uint16_t *at, struct remux_pid *ret,
		  size_t max);

/* The PMT of the program with this number in the output, borrowed until the
 * next feed; NULL: none. */
const uint8_t *remux_pmt(const struct remux *, uint16_t new_number,
			 size_t *ret_len);

/* remux_keep_tables() passes the current sections of PAT, PMTs, CAT and SDT of
 * the source to fn; an SDT of several programs only with a place.  Another
 * remux of the same options that is fed with them derives the same tables. */
typedef void remux_section_fn(uint16_t pid, const uint8_t *section, size_t len,
			      void *arg);
void remux_keep_tables(const struct remux *, remux_section_fn *fn, void *arg);
/* Passes the sections of CAT and SDT of the output to fn. */
void remux_made_tables(struct remux *, remux_section_fn *fn, void *arg);

/* Writes the programs that do not go out to ret, at most max; returns their
 * number.  new_number is 0 if the place (place.h) has no number left. */
size_t remux_unsent(const struct remux *, struct remux_service *ret,
		    size_t max);

/* The number of programs that do not go out because the place (place.h) has no
 * number left for them. */
size_t remux_unnumbered(const struct remux *);

/* Writes to ret the PIDs of maps that move nothing, because no PMT of a program
 * that goes out lists the PID; begins with map number `from' of the options.
 * At most max; returns their number, 0 as long as a PMT is
 * missing. */
size_t remux_unlisted(const struct remux *, size_t from, uint16_t *ret,
		      size_t max);

/* True if only a single program goes out.  SDT and EIT of the output then have
 * its new number; those of a whole multiplex keep the numbers. */
bool remux_is_single(const struct remux *);

/* Adds the PIDs of the output to a bit set (place.h). */
void remux_add_pids(const struct remux *, uint64_t *ret);

/* Does the output have this PID? */
bool remux_sends_pid(const struct remux *, uint16_t pid);

/* Counts how often programs, PIDs and tables were derived. */
uint32_t remux_builds(const struct remux *);

/* Derives programs, PIDs and tables again, because the place has changed. */
void remux_replan(struct remux *);

void remux_counters(const struct remux *, struct remux_counters *ret);

/* Finds the next PMT that lacks parts, from program *at on (0 for the first),
 * and moves *at behind it.  NULL: no further PMT lacks parts. *ret_program: the
 * program's number in the output. */
const struct pmt_omitted *remux_omitted(const struct remux *, size_t *at,
					uint16_t *ret_program);

/* The parts that the SDT lacks; NULL: it lacks none. */
const struct sdt_omitted *remux_omitted_sdt(const struct remux *);
/* True if a passed SDT, NIT or BAT had no room for its changed descriptors, so
 * that it stayed as it was. */
bool remux_is_crowded(const struct remux *, enum edit_table);
