/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A configured output: keeps it open, opens it again after an error, and keeps
 * the error.
 *
 * An output with its own pace (cbr=, burst=, no_sync) is not fed by the sender
 * of the pipeline: sink_feed() and the functions that follow it are only for
 * such an output.
 *
 * Owns the output, its cbr and its sender.  The deliver worker serves an http
 * output from the ring; here that output is only a row of the status.
 */
#pragma once

#include "common/base/ratelimit.h"
#include "worker/analysis/alarm_state.h"
#include "worker/output/cbr.h"
#include "worker/output/output.h"
#include "worker/output/sender.h"
#include "worker/core/link_record.h"
#include "worker/socket/retry.h"

struct csa_choice;
struct psi;
struct scrambler_pids;

struct sink {
	unsigned position;  /* position in the list of outputs, from 1 */
	bool valid;
	struct output_spec spec;
	/* the open output; NULL while it is closed, and for http */
	struct output *output;
	/* state of the output in the memory of the stream; borrowed */
	struct rtp_state *place;
	struct retry retry;
	struct errmsg error;   /* error of this outage; "": no outage */
	struct sink_outage {
		/* time of the first rejected packet, or of the error */
		uint64_t since_ns;
		uint64_t until_ns; /* time of the last error */
		/* dropped packets that were logged before the outage */
		uint64_t dropped;
	} outage;
	/* counts of outputs that were closed, and of packets dropped while no
	 * output was open */
	struct output_counters closed;
	/* packets that the sender had sent at the last count_passed() */
	uint64_t passed;
	struct sink_rate {
		uint64_t packets; /* packets sent until at_ns */
		uint64_t at_ns;
		unsigned kbps;    /* rate in the second before at_ns */
	} rate;
	struct link_record link;
	/* makes the rate constant; NULL: the output has no cbr */
	struct cbr *cbr;
	/* memory of the queue of cbr or sender (sinks_keep()); NULL: not
	 * kept */
	void *queue;
	/* sender of an output with its own pace but without cbr; or NULL */
	struct sender *sender;
	struct sink_overflow {
		struct alarm alarm;
		uint64_t before; /* overflow counter of cbr a second ago */
		/* overflow counter of cbr when the overflow began */
		uint64_t begin;
		struct ratelimit log;
		/* error for the status; "": cbr drops no packets */
		struct errmsg error;
	} overflow;
	/* count of dropped packets that the log has already */
	uint64_t dropped;
	/* the output had an error a second ago, or when it was opened */
	bool had_error;
	/* the error logged last, of this outage or of the previous one */
	struct errmsg logged_error;
	struct ratelimit error_log;
	struct ratelimit dropped_log;
	struct errmsg path_error; /* the error of a path that was logged last */
	struct ratelimit path_error_log;
	struct ratelimit moved_log;
	uint64_t now_ns;       /* now_ns of the last sink_run() */
	struct sap *sap;       /* announces the output; NULL: not announced */
	uint64_t receivers_reported; /* hash of the last report of receivers */
	unsigned receivers_age_s; /* age of that report */
	/* scrambles the output; NULL: it sends in the clear */
	struct scrambler *scrambler;
	/* sends questions about callers to the master; borrowed */
	struct asker *asker;
};

/* The hash of an address, as struct rtp_state stores it. */
uint64_t sink_address(const char *address);

/* Makes a closed output; one with a malformed address never opens.  name: name
 * of the announced session.  place: the RTP sequence of the output, in memory
 * that outlives the sink. */
void sink_init(struct sink *, unsigned position, const char *address,
	       const char *name, struct rtp_state *place);
void sink_done(struct sink *);

/* Call it before the first packet.  Of these n outputs those with their own
 * pace continue from the queues of their places in the memory of the stream (fd
 * is not taken; -1: none), and keep their queues there.  If queues cannot be
 * mapped, logs one line. */
void sinks_keep(struct sink *, size_t n, int fd, uint64_t now_ns);

/* Sends the queue that sinks_keep() found for an output without cbr.  Call it
 * after sink_set_psi(), because the packets may have to be scrambled. */
void sink_resume(struct sink *, uint64_t now_ns);

/* Call it before the first packet.  Sets the parser (borrowed) of the packets
 * that the sink is fed.  If the output is scrambled, makes the scrambler.
 * pids: see scrambler_new(); they outlive the sink. */
void sink_set_psi(struct sink *, const struct psi *, struct csa_choice *,
		  struct scrambler_pids *);

/* Sends at once the packets that wait for the pace of an output without cbr:
 * they must not get lost, because their counters are used. */
void sink_flush(struct sink *, uint64_t now_ns);

/* Starts to stop the output.  True if this takes time, during which the caller
 * can stop other outputs. */
bool sink_stop(struct sink *);

/* Opens a closed output if the time of the next attempt has come. */
void sink_open(struct sink *, uint64_t now_ns);

/* Ends a second.  n: the packets since the start, of an http output those of
 * the stream, of others those that the sender of the stream has sent.  May
 * close or open the output. */
void sink_second(struct sink *, uint64_t n, uint64_t now_ns);

/* Does the output follow changes of addresses and interfaces?
 * sink_follows_routes() is the same for changes of routes. */
bool sink_follows(const struct sink *);
bool sink_follows_routes(const struct sink *);
/* Call it after a change that sink_follows() names; n as for sink_second().
 * May close or open the output. */
void sink_follow(struct sink *, uint64_t n, uint64_t now_ns);

static inline bool sink_has_pace(const struct sink *s)
{
	return s->cbr != NULL || s->sender != NULL;
}

/* The longest part of the stream that is sent at once, and the interval of
 * sink_run(), in ms. */
static inline unsigned sink_burst_ms(const struct sink *s)
{
	return s->spec.burst_ms > 0 ? s->spec.burst_ms : PACER_BURST_MS;
}

/* Queues packets; sends those that are due. */
void sink_feed(struct sink *, const struct ts_run *runs, size_t n_runs,
	       uint64_t now_ns);
void sink_run(struct sink *, uint64_t now_ns);
/* The time at which sink_run() is due next if no packets are fed; UINT64_MAX:
 * nothing waits. */
uint64_t sink_next_ns(const struct sink *);
/* Are more packets queued than one burst? */
bool sink_is_behind(const struct sink *);

/* The reason why packets are not sent, or not on all paths; NULL: none. */
const char *sink_error(const struct sink *);

/* Writes the counters since sink_init(). */
void sink_counters(const struct sink *, struct output_counters *ret);

/* The counters of the output's protocol, for the status: as
 * link_record_report(). */
const json_t *sink_stats(struct sink *);
