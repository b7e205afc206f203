/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One input of a stream from its address to its judgement: what comes, what is
 * made of it, what that is worth, since when.
 *
 * What is judged is what the stream can send of it: behind the remux, where
 * there is one.  So the program that was picked counts, and no other.
 *
 * Owns the source, its remux and its analyzers.  Knows no other lane.
 */
#pragma once

#include "proto/ipc/msg.h"
#include "proto/spec/stream_spec.h"
#include "worker/failover/failover.h"
#include "worker/failover/silence.h"
#include "worker/remux/remux.h"
#include "worker/splice/entry.h"
#include "worker/stream/source.h"
#include "worker/stream/monitor_log.h"
#include "worker/ts/analyze.h"

enum {
	/* Reads without a packet before the socket is waited for instead. */
	LANE_EMPTY_READS = 10,
	/* A shorter part of a second is not judged by itself. */
	LANE_JUDGE_MS = 500,
};

struct aside;

struct lane {
	ts_out_fn *out;
	void *arg;
	struct remux *remux;     /* NULL: packets stay as they are */
	struct aside *aside;     /* adds a PID; NULL: none.  It has a remux */
	unsigned cc_limit;       /* its own, or the stream's */
	uint32_t fault_alarms;   /* with one of these it is off air */
	bool wanted;             /* it is to be open */
	bool tried;              /* to open it, since then */
	unsigned empty_reads;
	struct analyze *analyze; /* NULL: what the watch counts is enough */
	struct watch watch;      /* of what comes, before the remux */
	struct splice_entry *entry; /* made when it is asked for */
	bool entering;           /* an entry was asked for */
	struct silence silence;
	bool silent;             /* by the last look */
	enum failover_level verdict; /* of its last second */
	/* Why it is not on air: the same words again and again, NULL when it
	 * is or that is not known; and as a sentence with numbers. */
	const char *fault;
	struct errmsg complaint;
	uint64_t began_ns;       /* the second that is not judged yet */
	struct analyze_report report;  /* of the last one ... */
	struct input_counters counted; /* ... and what the input counted */
	struct failover_sight told;    /* to the policy */
	enum input_state state;  /* for the status ... */
	uint64_t since_s;        /* ... since then, unix time */
	struct source source;
};

struct lane_config {
	unsigned position;
	const char *address;
	const struct stream_spec *stream; /* borrowed for the call */
	bool alone;                       /* the stream has no other input */
	/* The stream's; they outlive it. */
	struct table_versions *versions;
	struct si_versions *si;
	/* What is made of the packets of lane_take(), in it. */
	ts_out_fn *out;
	void *arg;
};

/* Judges the address; opens nothing. */
void lane_init(struct lane *, const struct lane_config *);
void lane_done(struct lane *);

/* From now on it is to be open, or not. */
void lane_want(struct lane *, bool wanted, uint64_t now_ns);

/* Reads what there is into the batch; opens the source when it is time. */
void lane_read(struct lane *, struct batch *, uint64_t now_ns);

/* The packets of a lane_read(), as they come out of the batch.  Calls out(). */
void lane_take(struct lane *, const struct ts_run *runs, size_t n_runs,
	       uint64_t now_ns);

/* What watches it while it does not flow. */
struct splice_entry *lane_entry(struct lane *);
/* An entry is wanted, and was not before; none is wanted any more. */
void lane_begin_entry(struct lane *, unsigned wait_ms, uint64_t now_ns);
void lane_end_entry(struct lane *);
/* It flowed and was not watched: begins anew. */
void lane_forget_entry(struct lane *);

/* As source_stats(), with what is added to it. */
const json_t *lane_stats(struct lane *);

/* What the next read and take will touch. */
void lane_warm(const struct lane *, struct warm *);

/* Does it have to be read at every tick?  If not, its input_fd() tells. */
bool lane_is_busy(const struct lane *);

/* What it looks like now.  True when that is not what the last call said. */
bool lane_look(struct lane *, uint64_t now_ns, struct failover_sight *ret);

/* When lane_look() or lane_read() may see something though no packet comes;
 * UINT64_MAX: never. */
uint64_t lane_next_ns(const struct lane *, uint64_t now_ns);

/* Once a second. */
void lane_second(struct lane *, uint64_t now_ns);

/* How its addresses are judged by the policy. */
struct failover_input_config lane_policy(const struct lane *);
