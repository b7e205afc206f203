/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Merges two copies of a transport stream, each of which may have lost packets,
 * into one.  Packets have no numbers: they are matched by their contents.
 *
 * Each copy waits in a queue of its own.  A packet is sent after the delay,
 * counted from the time at which the faster copy delivered it or would have.
 * By then the other copy has arrived: a packet that one copy lost is in the
 * other, in front of the next packet that both have.  A packet that the network
 * duplicated is sent once; packets that the paths deliver in different order
 * are sent in the order of their continuity counters.
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
	uint64_t received[TS_MERGE_PATHS]; /* packets, null packets too */
	uint64_t lost[TS_MERGE_PATHS]; /* packets of the other path alone */
	uint64_t merged; /* packets that one path lost */
	uint64_t dropped; /* late, duplicate or of the unused path */
	int32_t skew_us; /* path 2 behind path 1, in the last second */
	bool live[TS_MERGE_PATHS];
	bool aligned; /* both deliver the same stream */
	bool refused; /* they differ: only `lead` is sent */
	unsigned lead;
	/* When they were refused: so many of so many packets differed, of this
	 * PID; TS_PIDS: those with a PCR, above: of all PIDs. */
	uint32_t differ, of;
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

/* Does a packet wait? */
bool ts_merge_waits(const struct ts_merge *);

void ts_merge_every_second(struct ts_merge *, uint64_t now_ns);

void ts_merge_counts(const struct ts_merge *, struct ts_merge_counts *ret);
