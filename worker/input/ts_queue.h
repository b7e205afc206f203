/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets in a ring that grows when it has to, each with its time of arrival,
 * a number made of its bytes and a mark of its owner's.
 *
 * Owns its memory.  What was taken away may be read until the next push.
 * Embedded; zeroed memory is an empty queue.
 */
#pragma once

#include "worker/ts/packet.h"

enum { TS_QUEUE_SPREAD = 8 };

struct ts_queue {
	size_t places; /* a power of two, or 0 */
	size_t head, n;
	uint8_t *packets;
	uint64_t *hash;
	uint64_t *at_ns;
	uint8_t *mark;
	uint16_t *waits; /* how many, by some bits of their number */
};

void ts_queue_done(struct ts_queue *);

/* False when it has max packets.  Its mark is 0. */
bool ts_queue_push(struct ts_queue *, const uint8_t *packet, uint64_t at_ns,
		   size_t max);

static inline size_t ts_queue_place(const struct ts_queue *q, size_t i)
{
	return (q->head + i) & (q->places - 1);
}

static inline const uint8_t *ts_queue_packet(const struct ts_queue *q, size_t i)
{
	return q->packets + ts_queue_place(q, i) * TS_PACKET;
}

static inline uint64_t ts_queue_hash(const struct ts_queue *q, size_t i)
{
	return q->hash[ts_queue_place(q, i)];
}

static inline uint64_t ts_queue_at_ns(const struct ts_queue *q, size_t i)
{
	return q->at_ns[ts_queue_place(q, i)];
}

static inline uint8_t *ts_queue_mark(const struct ts_queue *q, size_t i)
{
	return &q->mark[ts_queue_place(q, i)];
}

/* The counter of a number: so many that seldom two share one. */
static inline uint16_t *ts_queue_waits(const struct ts_queue *q, uint64_t hash)
{
	return &q->waits[(hash >> 20) & (q->places * TS_QUEUE_SPREAD - 1)];
}

/* Takes the first away. */
static inline void ts_queue_pop(struct ts_queue *q)
{
	--*ts_queue_waits(q, ts_queue_hash(q, 0));
	q->head = ts_queue_place(q, 1);
	q->n--;
}

/* The first at or behind `from` with this number; q->n when there is none,
 * which is nearly always told without a search. */
size_t ts_queue_find(const struct ts_queue *, size_t from, uint64_t hash);

/* Makes the packet at i the first, with the time of the one that was. */
void ts_queue_bring_first(struct ts_queue *, size_t i);
