/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Merges the programs of several inputs into one multiplex of constant bit
 * rate.
 *
 * Each input has a remux, which gives it PIDs and program numbers of its own
 * (remux/place.h).  Here
 *	CAT         is built for all inputs
 *	PAT         too, and repeated every 90 ms
 *	SDT         actual is built from those of the inputs
 *	EIT         actual of the inputs passes, section by section: p/f precede
 *	            most of the schedule, and each input gets a share
 *	            (eit_share.h)
 *	TDT         is built from the system clock, and does not wait
 *	PMT         is repeated every 90 ms, and sent at once after a change;
 *	            if its PID changes, the new PID has the old PMT until the
 *	            new one leaves; all other packets of the programs pass
 *	all others  are dropped
 * A packet leaves delay_ms after its source sent it (delay_line.h), or later if
 * it would overflow a transport buffer (spread.h).  Null packets fill the rate,
 * and PCRs are written by the position of their packets (output/cbr.h).
 * Packets that exceed the rate wait; beyond another delay_ms as many services
 * of the lowest priority as the excess needs are blocked until there is room
 * again, from the end of a unit to the begin of another one.  The priority is
 * that of the input; of one input the last service is blocked first and
 * released last.  A PID of several services is sent while one of them is.
 * Packets wait also because turns were late, which is another reason.
 *
 * A service without video and audio for MUX_SILENT_MS is silent; one that has
 * neither in its PMT is silent with its input.  It keeps its PMT; the SDT calls
 * it not running.  With absent_ms it leaves the tables, and returns at a
 * picture.  With `still' its last picture and silence are sent on its PIDs,
 * also while it is blocked, and the SDT has the status of its input.  They have
 * the rate of the service at most, and last until a picture with which it
 * returns; a PMT with other streams waits for that picture, too.  With `file'
 * the video and audio of a file follow, in the codings of the service.
 *
 * Pure: the caller provides the time.  Owns the tables and queues; borrows the
 * remuxes.
 */
#pragma once

#include "worker/output/cbr.h"
#include "worker/remux/desc_apply.h"
#include "worker/remux/remux.h"
#include "worker/splice/continuity.h"

struct psi;

enum {
	MUX_INPUTS_MAX = 32,
	MUX_DELAY_DEFAULT_MS = 400,
	/* An input or a service without packets for this time is silent. */
	MUX_SILENT_MS = 500,
	MUX_PRIORITY_DEFAULT = 100,
};

struct mux;

struct mux_config {
	size_t n_inputs; /* at most MUX_INPUTS_MAX */
	unsigned kbps;
	unsigned delay_ms;
	uint16_t tsid, onid;
	bool keep; /* pid_mode */
	bool nit;  /* another stage adds a NIT, which the PAT names */
	/* the origin of the EIT of the services, for the flags in the SDT;
	 * copied */
	const struct tables_spec *tables;
	struct desc_edits edits; /* of the SDT; copied */
	/* the versions of the stream; they must outlive the mux */
	struct table_versions *versions;
	struct remux_versions first;
	/* What the last mux of the stream sent, and this one continues;
	 * borrowed.  The splice has no use for it then.  The mux writes clocks,
	 * packets and at_ns; counters are noted by the stage that sends. */
	struct splice_continuity *continuity;
	ts_out_fn *out;
	void *arg;
};

/* What the configuration demands of an input. */
struct mux_source_config {
	uint16_t base, count; /* of its block */
	unsigned priority;    /* the lowest goes first */
	/* kbit/s; 0: no limit.  An input within min_kbps is blocked after all
	 * others.  Clearly above max_kbps its last services are blocked. */
	unsigned min_kbps, max_kbps;
	/* a service that is silent or blocked shows its last picture, if it is
	 * one of the first FILLER_PROGRAMS_MAX */
	bool still;
	/* instead of the picture the packets of mux_feed_file() are sent, if
	 * they can be; with `still' only.  The path for the log, borrowed for
	 * the call; NULL: there is no file */
	const char *file;
	/* silent for so long, a service leaves the tables; 0: never */
	unsigned absent_ms;
	/* the PIDs that its maps demand, and the number of set_pnr or 0: other
	 * inputs do not use them */
	size_t n_pids;
	const uint16_t *pids; /* borrowed for the call */
	uint16_t number;
};

struct mux *mux_new(const struct mux_config *);
void mux_free(struct mux **);

/* Sets up an input (from 0).  Call it for all inputs before the first remux is
 * made. */
void mux_setup(struct mux *, size_t input, const struct mux_source_config *);
/* The place of an input, for its remux; borrowed for the life of the mux. */
const struct remux_place *mux_place(const struct mux *, size_t input);
/* Sets the remux of an input; NULL: the input cannot run. */
void mux_set_remux(struct mux *, size_t input, struct remux *);

/* Takes packets that the remux of an input sends. */
void mux_feed(struct mux *, size_t input, const struct ts_run *runs,
	      size_t n_runs);

/* Call it when packets of the input have arrived. */
void mux_heard(struct mux *, size_t input, uint64_t now_ns);

/* The number of packets of an input that were queued since mux_new().  The last
 * *ret_waiting of them have not left. */
uint64_t mux_queued(const struct mux *, size_t input, size_t *ret_waiting);

/* Call it before packets of an input that come from another source, or follow a
 * loss. */
void mux_restart(struct mux *, size_t input);

/* True if a service of the input needs packets of its file, because a filler is
 * sent for it.  While all services of the input are silent, another stage feeds
 * the file as the input; the result is false then, unless one of them is
 * blocked. */
bool mux_wants_file(const struct mux *, size_t input);
/* Takes packets of the file, which arrive when its clock says so. */
void mux_feed_file(struct mux *, size_t input, const struct ts_run *runs,
		   size_t n_runs, uint64_t now_ns);

/* Sends the packets that are due.  unix_ms: the system clock; 0: it is not
 * reliable, and no TDT is sent. */
void mux_turn(struct mux *, uint64_t now_ns, uint64_t unix_ms);

/* Reserves the next position of the output: it gets a null packet, which
 * another stage replaces by a packet of a table.  Only a TDT precedes it. */
void mux_make_place(struct mux *);

/* Null packets for the remux of an input, which has places for CAT, SDT and EIT
 * there while the input is silent.  The mux itself repeats the PMTs. */
struct ts_run mux_places(void);

struct mux_source_state {
	bool silent;
	size_t n_absent;  /* services that are not in the tables */
	size_t n_blocked; /* services that do not go out, because the inputs
			   * exceed the rate, or for the reasons below */
	bool blocked;     /* all services of the input are blocked */
	bool above_max;   /* the reason of some: the input had more than its
			   * max_kbps */
	unsigned late_ms; /* the reason of all blocked services: the turns were
			   * late by this time; 0: another reason */
	uint64_t packets; /* packets that went out since mux_new() */
	uint64_t dropped; /* packets that had no room, since mux_new() */
	uint64_t late;    /* those of `dropped' for which turns were too late */
	/* from its configuration */
	unsigned priority, min_kbps, max_kbps;
	size_t n_services;
	const struct remux_service *services; /* borrowed up to the next feed */
	size_t n_unsent; /* programs for which there is no room */
	uint64_t eit_dropped; /* sections of EIT that had no room */
};

void mux_source_get(const struct mux *, size_t input,
		    struct mux_source_state *ret);

struct mux_service_state {
	bool silent;
	bool absent; /* not in the tables */
	bool blocked; /* it does not go out: it has no room */
	bool filled; /* a filler is sent instead */
	bool file;   /* the filler is the file of the input, not the last
		      * picture */
	uint64_t dropped; /* packets of it that had no room, since mux_new() */
	uint64_t excess;  /* the same in the last second */
};

/* Writes the state of the nth service of this input. */
void mux_service_get(const struct mux *, size_t input, size_t nth,
		     struct mux_service_state *ret);

/* How many packets of a service were sent in the last second. */
uint32_t mux_service_packets(const struct mux *, uint16_t number);

/* Writes the PIDs of the streams of a service, at most max, and that of its PCR
 * if no stream has it; returns their number. */
size_t mux_service_pids(const struct mux *, size_t input, size_t nth,
			uint16_t *ret, size_t max);

/* Writes the name that the SDT of the input has for its nth service as UTF-8;
 * "": it has none. */
void mux_service_name(const struct mux *, size_t input, size_t nth, char *ret,
		      size_t size);

/* The tables of the output; borrowed for the life of the mux. */
const struct psi *mux_psi(const struct mux *);

size_t mux_inputs(const struct mux *);
/* Call it once a second: ends the measurement of rates, and frees memory that
 * bursts have needed. */
void mux_every_second(struct mux *);
void mux_cbr_counters(const struct mux *, struct cbr_counters *ret);
