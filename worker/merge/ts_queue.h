/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets in a ring that grows when it has to, each with its time of arrival,
 * a number made of its bytes and a mark of its owner's.
 *
 * While all that is asked for is found at once, a packet costs what its place
 * holds and no more: how many wait by their numbers, which is spread over a
 * large table, is counted from the first question on that goes further, and
 * until there was none for a while.
 *
 * Owns its memory.  What was taken away may be read until the next push.
 * Embedded; zeroed memory is an empty queue.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	TS_QUEUE_SPREAD = 8,
	TS_QUEUE_MARKS = 4,
};

struct ts_queue_place {
	uint64_t hash;
	/* Of the nanoseconds the lowest bits are the mark. */
	uint64_t at_mark;
};

struct ts_queue_counts {
	bool kept; /* what follows is true */
	size_t unasked; /* packets that went since the last question */
	uint16_t waits[]; /* so many, by some bits of their number */
};

struct ts_queue {
	size_t places; /* a power of two, or 0 */
	size_t head, n;
	uint8_t *packets;
	struct ts_queue_place *place;
	struct ts_queue_counts *counts;
};

void ts_queue_done(struct ts_queue *);

/* False when it has max packets.  Its mark is 0. */
bool ts_queue_push(struct ts_queue *, const uint8_t *packet, uint64_t at_ns,
		   size_t max);

static inline size_t ts_queue_at(const struct ts_queue *q, size_t i)
{
	return (q->head + i) & (q->places - 1);
}

static inline const uint8_t *ts_queue_packet(const struct ts_queue *q, size_t i)
{
	return q->packets + ts_queue_at(q, i) * TS_PACKET;
}

static inline uint64_t ts_queue_hash(const struct ts_queue *q, size_t i)
{
	return q->place[ts_queue_at(q, i)].hash;
}

/* When it came. */
static inline uint64_t ts_queue_at_ns(const struct ts_queue *q, size_t i)
{
	uint64_t at = q->place[ts_queue_at(q, i)].at_mark;

	return at - at % TS_QUEUE_MARKS;
}

static inline unsigned ts_queue_mark(const struct ts_queue *q, size_t i)
{
	return q->place[ts_queue_at(q, i)].at_mark % TS_QUEUE_MARKS;
}

/* That one is looked at soon: calls for its memory. */
static inline void ts_queue_expect(const struct ts_queue *q, size_t i)
{
	__builtin_prefetch(ts_queue_packet(q, i));
}

/* Below TS_QUEUE_MARKS. */
static inline void ts_queue_set_mark(struct ts_queue *q, size_t i,
				     unsigned mark)
{
	q->place[ts_queue_at(q, i)].at_mark = ts_queue_at_ns(q, i) | mark;
}

void ts_queue_uncount_first(struct ts_queue *);

/* Takes the first away. */
static inline void ts_queue_pop(struct ts_queue *q)
{
	if (q->counts->kept)
		ts_queue_uncount_first(q);
	q->head = ts_queue_at(q, 1);
	q->n--;
}

/* The first at or behind `from` with this number; q->n when there is none,
 * which is nearly always told without a search. */
size_t ts_queue_find(const struct ts_queue *, size_t from, uint64_t hash);

/* Is there one with this number, and not a second one?  Nearly always true when
 * it is so. */
bool ts_queue_is_single(const struct ts_queue *, uint64_t hash);

/* Makes the packet at i the first, with the time of the one that was. */
void ts_queue_bring_first(struct ts_queue *, size_t i);
