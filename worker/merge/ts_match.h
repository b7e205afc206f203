/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Matches the packets of two copies of a transport stream and decides their
 * order.
 *
 * Packets have no number.  They are compared by a hash of their bytes, by what
 * follows them, by their continuity counters and by their time of arrival.
 * Tables and filler repeat byte for byte, so equal bytes may be another packet.
 *
 * Owns the packets that wait.  Embedded in struct ts_merge.
 */
#pragma once

#include "worker/merge/ts_duplicates.h"
#include "worker/merge/ts_likeness.h"
#include "worker/merge/ts_merge.h"
#include "worker/merge/ts_queue.h"

enum {
	TS_CC_UNKNOWN = 0xff,
	TS_MERGE_REORDER = 64, /* packets; the network does not reorder more */
	/* Sent packets that are remembered: a second at 90 Mbit/s. */
	TS_SENT = 65536,
	TS_SENT_PLACES = 4, /* places for one hash */
	TS_SENT_BOTH = 2,   /* instead of a path: both delivered it */
};

/* A packet that was sent. */
struct ts_sent {
	uint32_t hash;
	uint32_t at_ms : 29; /* wraps; 0: an empty place */
	uint32_t again : 1;  /* sent more than once */
	uint32_t path : 2;   /* path that delivered it */
};

struct ts_path {
	struct ts_queue queue;
	struct ts_duplicates duplicates;
	uint64_t received_ns; /* 0: never */
	uint64_t gap_ns;      /* usual time between two arrivals */
	uint64_t lag_ns;      /* behind the faster path */
};

struct ts_copies {
	uint64_t delay_ns;
	uint32_t now_ms; /* time of this turn; never 0 */
	struct ts_path path[TS_MERGE_PATHS];
	struct ts_likeness like;
	struct ts_sent sent[TS_SENT];
	uint8_t cc[TS_PIDS]; /* counter of the last sent packet */
	bool pes[TS_PIDS];   /* carries PES: equal bytes are rare */
};

static inline bool ts_is_mixed(const struct ts_copies *c)
{
	return c->like.state == TS_LIKE_SAME;
}

static inline bool ts_is_null_at(const struct ts_queue *q, size_t i)
{
	return ts_pid(ts_queue_packet(q, i)) == TS_PID_NULL;
}

/* The time at which a packet is sent. */
static inline uint64_t ts_due_ns(const struct ts_copies *c,
				 const struct ts_path *p, size_t i)
{
	return ts_queue_at_ns(&p->queue, i) + c->delay_ns - p->lag_ns;
}

/* Remembers a packet that was sent; path: TS_SENT_BOTH or the one that
 * delivered it. */
void ts_note_sent(struct ts_copies *, uint64_t hash, unsigned path);

/* Can the first packet repeat, byte for byte? */
bool ts_can_repeat(const struct ts_copies *, const struct ts_queue *);

/* Does the continuity counter continue the last sent packet of its PID? */
bool ts_is_next(const struct ts_copies *, const uint8_t *packet);

/* Was the first packet of this path already sent, from the other path? */
bool ts_is_late(const struct ts_copies *, unsigned path);

/* The place in b of the first packet of a; n of b: it is not there. */
size_t ts_match(const struct ts_copies *, const struct ts_path *a,
		const struct ts_path *b);

/* Moves a packet that the first of a path has overtaken to the front, unless
 * the other path shows that it is another packet; false: none was moved. */
bool ts_put_in_order(struct ts_copies *, unsigned path);

/* The first of each queue is in the other queue too, further back: that of q at
 * `near` in mine.  Is the first of mine earlier, by counters? */
bool ts_is_first(const struct ts_copies *, const struct ts_queue *mine,
		 const struct ts_queue *q, size_t near);

/* The first of each path is missing in the other.  Is that of p the later one:
 * does that of the other path continue its PID, and p's does not? */
bool ts_is_later(const struct ts_copies *, const struct ts_path *p,
		 const struct ts_path *other);
