/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One configured output: its address, and the open output while it has one.
 *
 * One with a pace of its own (cbr=, burst=, no_sync) is not fed by the path's
 * sender: sink_feed() and what follows it are for such a one alone.
 *
 * Owns the output and what shapes it.  An http output is served from the ring
 * by others; here it is only a line of the status.
 */
#pragma once

#include "common/base/ratelimit.h"
#include "worker/analysis/alarm_state.h"
#include "worker/output/cbr.h"
#include "worker/output/output.h"
#include "worker/output/sender.h"
#include "worker/core/link_record.h"
#include "worker/socket/retry.h"

struct sink {
	unsigned position;  /* from 1 */
	bool valid;
	struct output_spec spec;
	struct output *output; /* NULL while it is not open, and for http */
	struct rtp_state *place;
	struct retry retry;
	struct errmsg error;   /* of this outage; "": there is none */
	struct sink_outage {
		uint64_t since_ns; /* the first packet not taken ... */
		uint64_t until_ns; /* ... until nothing hindered it */
		uint64_t dropped;  /* as told before it */
	} outage;
	struct output_counters closed; /* of outputs that were closed, and of
					* the time without one */
	uint64_t passed;       /* packets of this second that are in that */
	struct sink_rate {
		uint64_t packets; /* sent until ... */
		uint64_t at_ns;
		unsigned kbps;    /* in the second before */
	} rate;
	struct link_record link;
	struct cbr *cbr;       /* NULL: its rate is that of the stream */
	struct sender *sender; /* of one with another pace, or NULL */
	struct sink_overflow {
		struct alarm alarm;
		uint64_t before; /* packets that did not fit, a second ago */
		uint64_t begin;  /* ... and before it began */
		struct ratelimit log;
		struct errmsg why; /* "" while all fits */
	} overflow;
	uint64_t dropped;      /* packets that were not taken, as told last */
	struct ratelimit dropped_log;
	struct errmsg trouble; /* of a part of it, as told last */
	struct ratelimit trouble_log;
	struct ratelimit moved_log;
	uint64_t now_ns;       /* of this run */
	struct sap *sap;       /* announces it; NULL: nobody does */
	uint64_t receivers_told; /* what was told of them, as a hash */
	unsigned receivers_age_s; /* of that word */
};

/* place: where its output is in its sequence; outlives it. */
void sink_init(struct sink *, unsigned position, const char *address,
	       struct rtp_state *place);
void sink_done(struct sink *);

/* Its end begins; true when it may take a moment, in which others end. */
bool sink_stop(struct sink *);

/* What it is called, for its announcement if it wants one. */
void sink_set_name(struct sink *, const char *name);

/* Opens it when it is closed, may be opened and the time has come. */
void sink_open(struct sink *, uint64_t now_ns);

/* Once a second, in which n packets were for it.  May close the output, or
 * open it again. */
void sink_second(struct sink *, uint64_t n, uint64_t now_ns);

/* Does it follow what becomes of addresses and interfaces, and of routes? */
bool sink_follows(const struct sink *);
bool sink_follows_routes(const struct sink *);
/* One of them changed, n packets after the second began.  As sink_second(). */
void sink_follow(struct sink *, uint64_t n, uint64_t now_ns);

static inline bool sink_has_pace(const struct sink *s)
{
	return s->cbr != NULL || s->sender != NULL;
}

/* How much may leave at once, and how often it wants to be asked. */
static inline unsigned sink_burst_ms(const struct sink *s)
{
	return s->spec.burst_ms > 0 ? s->spec.burst_ms : PACER_BURST_MS;
}

/* What it is to send; and what of it is due. */
void sink_feed(struct sink *, const struct ts_run *runs, size_t n_runs,
	       uint64_t now_ns);
void sink_run(struct sink *, uint64_t now_ns);
/* When to run again though nothing comes; UINT64_MAX: when something does. */
uint64_t sink_next_ns(const struct sink *);
/* Does more wait than may leave at once? */
bool sink_is_behind(const struct sink *);

/* Why nothing goes there, open or not, or not all; NULL: it does. */
const char *sink_error(const struct sink *);

/* Since sink_init(). */
void sink_counters(const struct sink *, struct output_counters *ret);

/* What its protocol knows, for the status: as link_record_report(). */
const json_t *sink_stats(struct sink *);
