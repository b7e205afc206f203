/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Matches the packets of two copies of a transport stream and decides their
 * order.
 *
 * Packets have no number.  They are compared by a hash of their bytes, by the
 * packets that follow, by their continuity counters and by their time of
 * arrival.  Tables and filler repeat byte for byte, so two equal packets may be
 * different packets of the stream.
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
	/* packets within which the network may reorder */
	TS_MERGE_REORDER = 64,
	/* Sent packets that are remembered: a second at 90 Mbit/s. */
	TS_SENT = 65536,
	TS_SENT_PLACES = 4, /* places in which a packet with one hash may be */
	TS_SENT_BOTH = 2,   /* value of ts_sent.path: both paths delivered it */
};

/* A packet that was sent. */
struct ts_sent {
	uint32_t hash;
	uint32_t at_ms : 29; /* time of sending, wraps; 0: an empty place */
	uint32_t again : 1;  /* the packet was sent more than once */
	uint32_t path : 2;   /* path that delivered it, or TS_SENT_BOTH */
};

struct ts_path {
	struct ts_queue queue;
	struct ts_duplicates duplicates;
	uint64_t received_ns; /* time of the last packets; 0: none yet */
	uint64_t gap_ns;      /* usual time between two arrivals on this path */
	uint64_t lag_ns;      /* delay against the faster path */
};

struct ts_copies {
	uint64_t delay_ns;
	uint32_t now_ms; /* time of this turn; never 0 */
	struct ts_path path[TS_MERGE_PATHS];
	struct ts_likeness like;
	struct ts_sent sent[TS_SENT];
	uint8_t cc[TS_PIDS]; /* continuity counter of the last sent packet */
	bool pes[TS_PIDS];   /* the PID has PES, where equal packets are rare */
};

static inline bool ts_is_mixed(const struct ts_copies *c)
{
	return c->like.state == TS_LIKE_SAME;
}

static inline bool ts_is_null_at(const struct ts_queue *q, size_t i)
{
	return ts_pid(ts_queue_packet(q, i)) == TS_PID_NULL;
}

/* The time at which packet i of the path's queue is sent. */
static inline uint64_t ts_due_ns(const struct ts_copies *c,
				 const struct ts_path *p, size_t i)
{
	return ts_queue_at_ns(&p->queue, i) + c->delay_ns - p->lag_ns;
}

/* Remembers a packet that was sent; path: TS_SENT_BOTH or the path that
 * delivered it. */
void ts_note_sent(struct ts_copies *, uint64_t hash, unsigned path);

/* May the first packet of the queue repeat byte for byte? */
bool ts_can_repeat(const struct ts_copies *, const struct ts_queue *);

/* Does the continuity counter continue the last sent packet of its PID? */
bool ts_is_next(const struct ts_copies *, const uint8_t *packet);

/* True if the first packet of this path is damaged and not needed: the other
 * path has the packet, it was already sent, or its PID may be wrong. */
bool ts_is_replaced(const struct ts_copies *, unsigned path);

/* Was the first packet of this path already sent, from the other path? */
bool ts_is_late(const struct ts_copies *, unsigned path);

/* Finds the first packet of a in b: returns its place, or the n of b's queue
 * when it is not there. */
size_t ts_match(const struct ts_copies *, const struct ts_path *a,
		const struct ts_path *b);

/* If the first packet of a path has overtaken another packet, moves that packet
 * to the front, unless the other path shows another order; false: no packet was
 * moved. */
bool ts_put_in_order(struct ts_copies *, unsigned path);

/* Compares two queues whose first packets are both in the other queue, too, but
 * further back; the first packet of q is at `near' in mine.  True if the first
 * packet of mine is earlier, by the continuity counters. */
bool ts_is_first(const struct ts_copies *, const struct ts_queue *mine,
		 const struct ts_queue *q, size_t near);

/* Compares two paths whose first packets are both missing in the other path.
 * True if the first packet of p is the later one: the first packet of the other
 * path continues its PID, and that of p does not. */
bool ts_is_later(const struct ts_copies *, const struct ts_path *p,
		 const struct ts_path *other);
