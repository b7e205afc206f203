/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/ts_queue.h"

#include "common/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES_FIRST = 512 };

void ts_queue_done(struct ts_queue *q)
{
	free(q->packets);
	free(q->hash);
	free(q->at_ns);
	free(q->mark);
	free(q->waits);
	*q = (struct ts_queue){ 0 };
}

/* Eight bytes at a time, multiplied and folded; 0 is no number. */
static uint64_t hash_of(const uint8_t *packet)
{
	const uint64_t prime = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t hash = prime, word;
	uint32_t tail;

	for (size_t i = 0; i + sizeof word <= TS_PACKET; i += sizeof word) {
		memcpy(&word, packet + i, sizeof word);
		hash = (hash ^ word) * prime;
		hash ^= hash >> 32;
	}
	memcpy(&tail, packet + TS_PACKET - sizeof tail, sizeof tail);
	hash = (hash ^ tail) * prime;
	hash ^= hash >> 29;
	return hash != 0 ? hash : 1;
}

static void grow(struct ts_queue *q)
{
	struct ts_queue more = {
		.places = q->places > 0 ? 2 * q->places : PLACES_FIRST,
		.n = q->n,
	};

	more.packets = xcalloc(more.places, TS_PACKET);
	more.hash = xcalloc(more.places, sizeof *more.hash);
	more.at_ns = xcalloc(more.places, sizeof *more.at_ns);
	more.mark = xcalloc(more.places, sizeof *more.mark);
	more.waits = xcalloc(more.places * TS_QUEUE_SPREAD, sizeof *more.waits);
	for (size_t i = 0; i < q->n; i++) {
		memcpy(more.packets + i * TS_PACKET, ts_queue_packet(q, i),
		       TS_PACKET);
		more.hash[i] = ts_queue_hash(q, i);
		more.at_ns[i] = ts_queue_at_ns(q, i);
		more.mark[i] = *ts_queue_mark(q, i);
		++*ts_queue_waits(&more, more.hash[i]);
	}
	ts_queue_done(q);
	*q = more;
}

bool ts_queue_push(struct ts_queue *q, const uint8_t *packet, uint64_t at_ns,
		   size_t max)
{
	size_t place;

	if (q->n >= max)
		return false;
	if (q->n == q->places)
		grow(q);
	place = ts_queue_place(q, q->n++);
	memcpy(q->packets + place * TS_PACKET, packet, TS_PACKET);
	q->hash[place] = hash_of(packet);
	q->at_ns[place] = at_ns;
	q->mark[place] = 0;
	++*ts_queue_waits(q, q->hash[place]);
	return true;
}

size_t ts_queue_find(const struct ts_queue *q, size_t from, uint64_t hash)
{
	if (q->n == 0 || *ts_queue_waits(q, hash) == 0)
		return q->n;
	for (size_t i = from; i < q->n; i++)
		if (ts_queue_hash(q, i) == hash)
			return i;
	return q->n;
}

/* All but the time: that is when the place was reached. */
static void copy(struct ts_queue *q, size_t to, size_t from)
{
	to = ts_queue_place(q, to);
	from = ts_queue_place(q, from);
	memcpy(q->packets + to * TS_PACKET, q->packets + from * TS_PACKET,
	       TS_PACKET);
	q->hash[to] = q->hash[from];
	q->mark[to] = q->mark[from];
}

void ts_queue_bring_first(struct ts_queue *q, size_t i)
{
	uint64_t hash = ts_queue_hash(q, i);
	uint8_t mark = *ts_queue_mark(q, i);
	uint8_t packet[TS_PACKET];

	memcpy(packet, ts_queue_packet(q, i), TS_PACKET);
	for (; i > 0; i--)
		copy(q, i, i - 1);
	memcpy(q->packets + q->head * TS_PACKET, packet, TS_PACKET);
	q->hash[q->head] = hash;
	q->mark[q->head] = mark;
}
