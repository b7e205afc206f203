/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a merge by content is made of; for ts_merge.c and ts_match.c only. */
#pragma once

#include "worker/merge/ts_duplicates.h"
#include "worker/merge/ts_likeness.h"
#include "worker/merge/ts_merge.h"
#include "worker/merge/ts_queue.h"
#include "worker/merge/ts_seen.h"

enum {
	TS_CC_UNKNOWN = 0xff,
	TS_MERGE_REORDER = 64, /* packets; further on nothing is overtaken */
};

struct ts_merge_path {
	struct ts_queue queue;
	struct ts_doubles doubles;
	uint64_t heard_ns; /* 0: never */
	uint64_t gap_ns; /* between two times that it brings something */
	uint64_t lag_ns; /* behind the faster one */
};

struct ts_merge {
	uint64_t delay_ns;
	uint32_t now_ms; /* of this turn */
	struct ts_merge_path path[TS_MERGE_PATHS];
	unsigned lead; /* plays while they are not mixed */
	int64_t skew_sum_us;
	uint32_t skew_n;
	struct ts_merge_counts counts;
	struct ts_likeness like;
	struct ts_seen seen;
	uint8_t cc[TS_PIDS]; /* the last that went out */
	bool pes[TS_PIDS]; /* pictures, sound: seldom the same bytes twice */
};

static inline bool ts_is_mixed(const struct ts_merge *m)
{
	return m->like.state == TS_LIKE_SAME;
}

static inline bool ts_is_null_at(const struct ts_queue *q, size_t i)
{
	return ts_pid(ts_queue_packet(q, i)) == TS_PID_NULL;
}

/* When a packet goes out. */
static inline uint64_t ts_due_ns(const struct ts_merge *m,
				 const struct ts_merge_path *p, size_t i)
{
	return ts_queue_at_ns(&p->queue, i) + m->delay_ns - p->lag_ns;
}

/* Tables and filler come again, byte for byte: the same bytes are another
 * packet. */
bool ts_comes_again(const struct ts_merge *, const struct ts_queue *);

/* Is this the next of its PID, by its counter? */
bool ts_is_next(const struct ts_merge *, const uint8_t *packet);

/* Did the other path bring the first of this one, and did not wait for it? */
bool ts_is_late(const struct ts_merge *, unsigned path);

/* Where the first of a stands in b; b's n when it does not.  Tables and filler
 * come again byte for byte: the next packets and the time decide. */
size_t ts_match(const struct ts_merge *, const struct ts_merge_path *a,
		const struct ts_merge_path *b);

/* Brings what the first of a path has overtaken to its place, unless the other
 * path tells that it has another one; false: nothing. */
bool ts_put_in_order(struct ts_merge *, unsigned path);

/* The first of either stands in the other, too, but further back: that of q at
 * `near`.  Does the one of mine come first, as counters tell? */
bool ts_is_first(const struct ts_merge *, const struct ts_queue *mine,
		 const struct ts_queue *q, size_t near);

/* Each has what the other lacks: one that goes on where its PID stopped is
 * earlier than one that does not, and so are the null packets before it. */
bool ts_is_later(const struct ts_merge *, const struct ts_merge_path *,
		 const struct ts_merge_path *other);
