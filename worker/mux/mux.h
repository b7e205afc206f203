/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Merges the programs of several inputs into one multiplex of constant bit
 * rate.
 *
 * Each input has a remux, which gives it PIDs and program numbers of its own
 * (remux/place.h).  Here
 *	CAT         is built for all inputs
 *	PAT         is built for all inputs, and repeated every 90 ms
 *	SDT         actual is built from those of the inputs; a service that its
 *	            source does not list gets an entry
 *	EIT         actual of the inputs passes, section by section: p/f precede
 *	            most of the schedule, and each input gets a share
 *	            (eit_share.h)
 *	TDT         is built from the system clock, and precedes all packets
 *	            that wait
 *	PMT         is repeated every 90 ms, and sent at once after a change;
 *	            if its PID changes, the new PID has the old PMT until the
 *	            new one leaves; all other packets of the programs pass
 *	all others  are dropped
 * A packet leaves delay_ms after its source sent it (delay_line.h), or later if
 * it would overflow a transport buffer (spread.h).  Null packets fill the rate,
 * and PCRs are written by the position of their packets (output/cbr.h).
 * Packets that exceed the rate wait.  If more packets wait than the output
 * sends in delay_ms, services of the lowest priority are blocked until there is
 * room again: as many as the excess needs, from the end of a unit to the begin
 * of another one.  The priority is that of the input; of one input the last
 * service is blocked first and released last.  A PID that services share is
 * sent while one of them is sent.  Packets also wait if mux_turn() was called
 * late; the state of the input then names that reason (late_ms).  A unit is a
 * PES packet, or the sections from one payload_unit_start_indicator to the next
 * one.
 *
 * A service without packets of video and audio for MUX_SILENT_MS is silent.  A
 * service whose PMT has neither is silent while its input is silent.  A silent
 * service keeps its PMT; its running_status in the SDT is "not running".  With
 * absent_ms it leaves the tables, and returns at a picture.  With `still' a
 * filler is sent on its PIDs while it is silent or blocked: its last picture,
 * and silence.  The SDT then has the running_status of the source.  A filler
 * has at most the rate of the service, unless silence and one picture in
 * PLAY_LONGEST_MS need more.  The filler ends at the picture at which the
 * service returns; a PMT with other streams waits for that picture, too.  With
 * `file' the filler sends video and audio of a file, if they suit the service.
 * A service that has packets for 5 s, but no picture at which it can return,
 * returns anyway.
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
	unsigned kbps; /* kbit/s of the output, with null packets */
	unsigned delay_ms;
	uint16_t tsid, onid;
	bool keep; /* pid_mode is `keep': a PID or number of the source stays if
		    * it is free */
	bool nit;  /* another stage adds a NIT, which the PAT names */
	/* the origin of the EIT of each service, for the flags in the SDT, and
	 * types and names of services that their source does not list in its
	 * SDT; copied; NULL: neither */
	const struct tables_spec *tables;
	struct desc_edits edits; /* applied to the services in the SDT;
				  * copied */
	/* versions of the tables that the stream has sent; must outlive the
	 * mux */
	struct table_versions *versions;
	/* versions of tables that the stream has not sent before */
	struct remux_versions first;
	/* State of the output that the previous mux of the stream stored, and
	 * from which this one continues; borrowed.  A stream with a multiplex
	 * has no splice that could use it.  The mux writes clocks, packets and
	 * at_ns; the stage that sends the packets writes the counters. */
	struct splice_continuity *continuity;
	ts_out_fn *out;
	void *arg;
};

/* What the configuration demands of an input. */
struct mux_source_config {
	uint16_t base, count; /* its block of PIDs and of numbers: `count' of
			       * them from `base' on */
	unsigned priority;    /* services of the input with the lowest priority
			       * are blocked first */
	/* kbit/s; 0: no limit.  An input within min_kbps is blocked after all
	 * others.  Clearly above max_kbps its last services are blocked. */
	unsigned min_kbps, max_kbps;
	/* a silent or blocked service sends its last picture, if it is one of
	 * the first FILLER_PROGRAMS_MAX services */
	bool still;
	/* With `still': path of a file whose packets (mux_feed_file()) are sent
	 * instead of the last picture, if they suit the service.  The log names
	 * the path, which is borrowed for the call; NULL: no file */
	const char *file;
	/* a service that is silent for this time leaves the tables; 0: it never
	 * leaves */
	unsigned absent_ms;
	/* length of the list `pids' */
	size_t n_pids;
	const uint16_t *pids; /* PIDs that the maps of the input demand, so that
			       * other inputs do not use them; borrowed for the
			       * call */
	/* service number of set_pnr, which other inputs do not use; 0: none */
	uint16_t number;
};

struct mux *mux_new(const struct mux_config *);
void mux_free(struct mux **);

/* Sets up an input (from 0).  Call it for all inputs before the first remux is
 * made. */
void mux_setup(struct mux *, size_t input, const struct mux_source_config *);
/* The PIDs and numbers that an input may use, for its remux; borrowed for the
 * life of the mux. */
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
/* Takes packets of the file.  The caller reads them at the rate of their
 * PCRs. */
void mux_feed_file(struct mux *, size_t input, const struct ts_run *runs,
		   size_t n_runs, uint64_t now_ns);

/* Sends the packets that are due.  unix_ms: the system clock; 0: it is not
 * reliable, and no TDT is sent. */
void mux_turn(struct mux *, uint64_t now_ns, uint64_t unix_ms);

/* The next mux_turn() sends a null packet before all that waits; another stage
 * replaces it by a packet of a table.  If a TDT goes first, the place is not
 * made, and the caller asks again. */
void mux_make_place(struct mux *);

/* Null packets for the remux of a silent input, which replaces them by packets
 * of its CAT, SDT and EIT.  The mux itself repeats the PMTs. */
struct ts_run mux_places(void);

struct mux_source_state {
	bool silent;
	size_t n_absent;  /* services that are not in the tables */
	size_t n_blocked; /* services that are not sent, because the inputs
			   * exceed the rate, or because of above_max or
			   * late_ms */
	bool blocked;     /* all services of the input are blocked */
	bool above_max;   /* true: some are blocked because the input exceeded
			   * its max_kbps */
	unsigned late_ms; /* milliseconds: all blocked services are blocked
			   * because mux_turn() was late by this time; 0:
			   * another reason */
	uint64_t packets; /* packets that were sent since mux_new() */
	uint64_t dropped; /* packets that were dropped for the rate, since
			   * mux_new() */
	uint64_t late;    /* packets among `dropped' for which mux_turn() was
			   * called too late */
	/* as in struct mux_source_config */
	unsigned priority, min_kbps, max_kbps;
	size_t n_services;
	const struct remux_service *services; /* borrowed until the next
					       * mux_turn() */
	size_t n_unsent; /* programs of the input that the multiplex has no room
			  * for */
	uint64_t eit_dropped; /* EIT sections that had no room in the queue
			       * (eit_share.h) */
};

void mux_source_get(const struct mux *, size_t input,
		    struct mux_source_state *ret);

struct mux_service_state {
	bool silent;
	bool absent; /* it is not in the tables */
	bool blocked; /* its packets are dropped, because they have no room */
	bool filled; /* a filler is sent instead of its packets */
	bool file;   /* the filler is the file of the input, not the last
		      * picture */
	uint64_t dropped; /* packets of the service that were dropped for the
			   * rate, since mux_new() */
	uint64_t excess;  /* packets among `dropped' that were dropped in the
			   * last second */
};

/* Writes the state of the nth service (from 0) of this input. */
void mux_service_get(const struct mux *, size_t input, size_t nth,
		     struct mux_service_state *ret);

/* How many packets of a service were sent in the last second. */
uint32_t mux_service_packets(const struct mux *, uint16_t number);

/* Writes the PIDs of the streams of a service, at most max, and its PCR PID if
 * that belongs to no stream; returns the number of PIDs written. */
size_t mux_service_pids(const struct mux *, size_t input, size_t nth,
			uint16_t *ret, size_t max);

/* Writes as UTF-8 the name of the nth service of an input from the SDT of this
 * input; "": the SDT has no name for it. */
void mux_service_name(const struct mux *, size_t input, size_t nth, char *ret,
		      size_t size);

/* The tables of the output; borrowed for the life of the mux. */
const struct psi *mux_psi(const struct mux *);

size_t mux_inputs(const struct mux *);
/* Call it once a second: ends the measurement of rates, and frees memory that
 * bursts have needed. */
void mux_every_second(struct mux *);
void mux_cbr_counters(const struct mux *, struct cbr_counters *ret);
