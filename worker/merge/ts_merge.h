/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Merges two copies of a transport stream, each of which may have lost packets,
 * into one.  Packets have no numbers: they are matched by their contents.
 *
 * Each copy waits in its own queue.  A packet is sent after the delay, counted
 * from the time at which the faster copy delivered it or would have delivered
 * it.  By then the slower copy has arrived, too: a packet that one copy lost is
 * in the other, in front of the next common packet.  A packet that the network
 * duplicated is sent once; packets that the paths deliver in different order
 * are sent in the order of their continuity counters.
 *
 * A packet with transport_error_indicator is replaced by the packet of the
 * other path, if that is intact.  The path with the damaged packet counts it as
 * lost.
 *
 * Paths with different streams are not mixed: one of them, the lead, is sent
 * until it falls silent.  Null packets are not compared; those of one path are
 * sent.
 *
 * Owns the packets that wait.  Pure: the caller passes the time.
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
	uint64_t received[TS_MERGE_PATHS]; /* packets, with null packets */
	/* packets that only the other path delivered */
	uint64_t lost[TS_MERGE_PATHS];
	uint64_t merged; /* packets that a path lost, and that were sent */
	/* packets dropped: late, duplicate, of the unused path, or without room
	 * in the queue */
	uint64_t dropped;
	/* mean delay of path 2 behind path 1, when it was measured last */
	int32_t skew_us;
	bool live[TS_MERGE_PATHS]; /* packets arrived in the last second */
	bool aligned; /* both paths deliver the same stream */
	bool refused; /* the paths differ: only the path `lead` is sent */
	unsigned lead;
	/* at the last refusal: `differ` of `of` packets differed */
	uint32_t differ, of;
	/* the PID that differed; TS_PIDS: packets with a PCR; above: any PID */
	unsigned pid;
};

struct ts_merge *ts_merge_new(unsigned delay_ms);
void ts_merge_free(struct ts_merge **);

/* Names the memory that the next turn will touch. */
void ts_merge_warm(const struct ts_merge *, struct prefetch *);

void ts_merge_feed(struct ts_merge *, const struct ts_run *runs, size_t n_runs,
		   unsigned path, uint64_t now_ns);

/* Puts the packets that are due into the batch and flushes it. */
void ts_merge_turn(struct ts_merge *, struct batch *, uint64_t now_ns);

/* True if a packet waits on any path. */
bool ts_merge_waits(const struct ts_merge *);

void ts_merge_every_second(struct ts_merge *, uint64_t now_ns);

void ts_merge_counts(const struct ts_merge *, struct ts_merge_counts *ret);
