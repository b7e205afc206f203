/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A growing ring of packets, each with its time of arrival, a hash of its bytes
 * and a mark for its owner.
 *
 * A search that does not succeed at once needs a table of hashes.  The table
 * costs memory accesses per packet.  So it is kept from the first such search
 * until there was no such search for a while.
 *
 * Owns its memory.  A popped packet may be read until the next push.
 * Embedded; zeroed memory is an empty queue.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	/* places of the table of hashes per place of the queue */
	TS_QUEUE_SPREAD = 8,
	TS_QUEUE_MARKS = 4, /* marks are below this */
};

struct ts_queue_place {
	uint64_t hash;
	/* Arrival in nanoseconds; the lowest bits are the mark. */
	uint64_t at_mark;
};

struct ts_queue_counts {
	bool kept; /* waits[] is valid */
	size_t unasked; /* packets popped since the last search */
	/* number of waiting packets, by some bits of their hash */
	uint16_t waits[];
};

struct ts_queue {
	size_t places; /* size of the ring in packets: a power of two, or 0 */
	size_t head, n;
	uint8_t *packets;
	struct ts_queue_place *place;
	struct ts_queue_counts *counts;
};

void ts_queue_done(struct ts_queue *);

/* Adds a packet with the mark 0; false: the queue has max packets. */
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

/* Returns the time of arrival of packet i. */
static inline uint64_t ts_queue_at_ns(const struct ts_queue *q, size_t i)
{
	uint64_t at = q->place[ts_queue_at(q, i)].at_mark;

	return at - at % TS_QUEUE_MARKS;
}

static inline unsigned ts_queue_mark(const struct ts_queue *q, size_t i)
{
	return q->place[ts_queue_at(q, i)].at_mark % TS_QUEUE_MARKS;
}

/* Prefetches packet i, which may be beyond the last one. */
static inline void ts_queue_expect(const struct ts_queue *q, size_t i)
{
	__builtin_prefetch(ts_queue_packet(q, i));
}

/* Sets the mark, which must be below TS_QUEUE_MARKS. */
static inline void ts_queue_set_mark(struct ts_queue *q, size_t i,
				     unsigned mark)
{
	q->place[ts_queue_at(q, i)].at_mark = ts_queue_at_ns(q, i) | mark;
}

void ts_queue_uncount_first(struct ts_queue *);

/* Removes the first packet. */
static inline void ts_queue_pop(struct ts_queue *q)
{
	if (q->counts->kept)
		ts_queue_uncount_first(q);
	q->head = ts_queue_at(q, 1);
	q->n--;
}

/* The first packet at or after place `from` with this hash; q->n: there is
 * none, which the table nearly always shows without a search. */
size_t ts_queue_find(const struct ts_queue *, size_t from, uint64_t hash);

/* Has exactly one packet this hash?  At least one must have it.  May be false
 * in a crowded table. */
bool ts_queue_is_single(const struct ts_queue *, uint64_t hash);

/* Moves the packet at i to the front; times stay with the places. */
void ts_queue_bring_first(struct ts_queue *, size_t i);
