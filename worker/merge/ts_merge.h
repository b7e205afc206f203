/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One transport stream from two copies of it, each of which may lack packets,
 * by what is in them: nothing numbers them.
 *
 * Each copy waits in a queue of its own.  A packet goes out when it has waited
 * the delay, counted from the time at which the faster copy has or would have
 * brought it; by then the other copy is there, so what one lacks stands in the
 * other in front of the next packet that both have.  What one path doubled goes
 * out once, and what it brought in another order than the other goes out as
 * continuity counters tell.  Paths that differ are not mixed: one of them
 * plays, until it falls silent.
 *
 * Null packets are not compared; those of one path go out.
 *
 * Owns the packets that wait.  Pure: time comes in as a number.
 */
#pragma once

#include "common/base/prefetch.h"
#include "worker/ts/batch.h"

enum {
	TS_MERGE_PATHS = 2,
	/* Packets of one copy: half a second at 98 Mbit/s. */
	TS_MERGE_QUEUE_MAX = 32768,
};

struct ts_merge;

struct ts_merge_counts {
	uint64_t received[TS_MERGE_PATHS]; /* packets, null packets too */
	uint64_t lost[TS_MERGE_PATHS]; /* that only the other brought */
	uint64_t merged; /* that one of them lacked */
	uint64_t dropped; /* that came too late, or are of no use */
	int32_t skew_us; /* how far path 2 is behind path 1, lately */
	bool live[TS_MERGE_PATHS];
	bool aligned; /* both bring the same */
	bool refused; /* they do not: only `lead` plays */
	unsigned lead;
	/* As they were refused: so many packets differed, the last with this
	 * PID; TS_PIDS: in their PCR, above: all of them. */
	uint32_t differ, of;
	unsigned pid;
};

struct ts_merge *ts_merge_new(unsigned delay_ms);
void ts_merge_free(struct ts_merge **);

/* What the next turn will touch. */
void ts_merge_warm(const struct ts_merge *, struct warm *);

void ts_merge_feed(struct ts_merge *, const struct ts_run *runs, size_t n_runs,
		   unsigned path, uint64_t now_ns);

/* Puts what is due into the batch and flushes it. */
void ts_merge_turn(struct ts_merge *, struct batch *, uint64_t now_ns);

/* Does anything wait? */
bool ts_merge_waits(const struct ts_merge *);

/* Once a second. */
void ts_merge_second(struct ts_merge *, uint64_t now_ns);

void ts_merge_counts(const struct ts_merge *, struct ts_merge_counts *ret);
