/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The counts and the PTS of each PID with packets.
 *
 * Owns a table of the PIDs in use; a stream with more than PID_STATS_MAX of
 * them is counted as a whole, those beyond have no record of their own.
 */
#pragma once

#include "worker/ts/packet.h"

enum { PID_STATS_MAX = 512 };

struct pid_stats {
	/* each packet touches these: within half a cache line */
	uint16_t pid;
	uint16_t cc;                   /* see cc_step() */
	uint8_t class;                 /* enum pid_class in the tables */
	bool has_pts;
	uint32_t packets;              /* this second */
	uint64_t first_ns, last_ns;    /* when packets arrived */
	uint32_t scrambled;            /* this second */
	uint32_t pes_errors_before;    /* pes_errors before this second */
	uint64_t pts, pts_ns;          /* the last, and its arrival */
	uint64_t pts_moved_ns;         /* when it was another one */
	uint64_t table_ns;             /* when a PAT or PMT began on it */
	uint64_t pts_gap_ns;           /* this second: the longest gap */
	float leak, level;             /* bytes; see tstd.h */
	uint64_t level_at;             /* the packet that set level */
	/* the last whole second */
	uint32_t last_packets;
	uint64_t last_pts_gap_ns;
	/* ever; the packets and scrambled ones of this second not yet */
	uint64_t all_packets;
	uint64_t all_scrambled;
	uint64_t pts_count;
	uint32_t cc_errors;
	uint32_t duplicates;
	uint32_t overflows;            /* overflows of its transport buffer */
	uint32_t transport_errors;
	uint32_t pes_errors;           /* units that do not begin as one */
};

struct pid_table {
	size_t n;
	uint16_t index[TS_PIDS]; /* 1 + place in list; 0: none */
	struct pid_stats list[PID_STATS_MAX];
};

/* NULL when it has no record. */
static inline struct pid_stats *pid_table_find(struct pid_table *t,
					       uint16_t pid)
{
	return t->index[pid] != 0 ? &t->list[t->index[pid] - 1] : NULL;
}

/* Adds a PID without a record; NULL when the table is full. */
static inline struct pid_stats *pid_table_add(struct pid_table *t,
					      uint16_t pid)
{
	if (t->n == PID_STATS_MAX)
		return NULL;
	t->list[t->n] = (struct pid_stats){ .pid = pid };
	t->index[pid] = (uint16_t)++t->n;
	return &t->list[t->n - 1];
}
