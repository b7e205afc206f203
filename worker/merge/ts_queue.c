/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/merge/ts_queue.h"

#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum {
	PLACES_FIRST = 512,
	WORD = 8,
	LANES = 4,
	LINE = 64,
	AHEAD = 4, /* memory is prefetched for this many packets ahead */
};

static const uint64_t prime = UINT64_C(0x9e3779b97f4a7c15);

void ts_queue_done(struct ts_queue *q)
{
	free(q->packets);
	free(q->place);
	free(q->counts);
	*q = (struct ts_queue){ 0 };
}

static uint64_t stir(uint64_t lane, uint64_t word)
{
	lane = (lane ^ word) * prime;
	return lane ^ lane >> 32;
}

static uint64_t word_at(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof word);
	return word;
}

/* A hash of a packet, never 0.  It multiplies and folds eight bytes at a time,
 * in independent lanes for the processor's pipelines; the last word overlaps
 * the one before. */
static uint64_t hash_of(const uint8_t *packet)
{
	const uint8_t *end = packet + TS_PACKET;
	uint64_t a = 1, b = 2, c = 3, d = 4;

	for (; end - packet >= LANES * WORD; packet += LANES * WORD) {
		a = stir(a, word_at(packet));
		b = stir(b, word_at(packet + WORD));
		c = stir(c, word_at(packet + 2 * WORD));
		d = stir(d, word_at(packet + 3 * WORD));
	}
	a = stir(a, word_at(packet));
	b = stir(b, word_at(packet + WORD));
	c = stir(c, word_at(packet + 2 * WORD));
	d = stir(d, word_at(end - WORD));
	a = stir(stir(stir(a, b), c), d);
	return a != 0 ? a : 1;
}

static uint16_t *waits(const struct ts_queue *q, uint64_t hash)
{
	return &q->counts->waits[(hash >> 20) &
				 (q->places * TS_QUEUE_SPREAD - 1)];
}

/* The number of packets with this hash, or with another hash in the same place
 * of the table. */
static unsigned count(const struct ts_queue *q, uint64_t hash)
{
	if (q->n == 0)
		return 0;
	if (!q->counts->kept) {
		memset(q->counts->waits, 0, q->places * TS_QUEUE_SPREAD *
						    sizeof *q->counts->waits);
		for (size_t i = 0; i < q->n; i++)
			++*waits(q, ts_queue_hash(q, i));
		q->counts->kept = true;
	}
	q->counts->unasked = 0;
	return *waits(q, hash);
}

void ts_queue_uncount_first(struct ts_queue *q)
{
	--*waits(q, ts_queue_hash(q, 0));
	q->counts->kept = ++q->counts->unasked < q->places;
}

static void grow(struct ts_queue *q)
{
	struct ts_queue more = {
		.places = q->places > 0 ? 2 * q->places : PLACES_FIRST,
		.n = q->n,
	};

	more.packets = xcalloc(more.places, TS_PACKET);
	more.place = xcalloc(more.places, sizeof *more.place);
	more.counts = xcalloc(1, sizeof *more.counts +
			      more.places * TS_QUEUE_SPREAD *
				      sizeof *more.counts->waits);
	for (size_t i = 0; i < q->n; i++) {
		memcpy(more.packets + i * TS_PACKET, ts_queue_packet(q, i),
		       TS_PACKET);
		more.place[i] = q->place[ts_queue_at(q, i)];
	}
	ts_queue_done(q);
	*q = more;
}

bool ts_queue_push(struct ts_queue *q, const uint8_t *packet, uint64_t at_ns,
		   size_t max)
{
	const uint8_t *room;
	size_t at;

	if (q->n >= max)
		return false;
	if (q->n == q->places)
		grow(q);
	room = ts_queue_packet(q, q->n + AHEAD);
	for (size_t i = 0; i < TS_PACKET; i += LINE)
		__builtin_prefetch(room + i, 1);
	at = ts_queue_at(q, q->n++);
	memcpy(q->packets + at * TS_PACKET, packet, TS_PACKET);
	q->place[at] = (struct ts_queue_place){
		.hash = hash_of(packet),
		.at_mark = at_ns - at_ns % TS_QUEUE_MARKS,
	};
	if (q->counts->kept)
		++*waits(q, q->place[at].hash);
	return true;
}

size_t ts_queue_find(const struct ts_queue *q, size_t from, uint64_t hash)
{
	if (from < q->n && ts_queue_hash(q, from) == hash)
		return from;
	if (count(q, hash) == 0)
		return q->n;
	for (size_t i = from + 1; i < q->n; i++)
		if (ts_queue_hash(q, i) == hash)
			return i;
	return q->n;
}

bool ts_queue_is_single(const struct ts_queue *q, uint64_t hash)
{
	return count(q, hash) == 1;
}

/* Writes a packet, its hash and its mark into place i.  The time of arrival
 * stays with the place. */
static void put(struct ts_queue *q, size_t i, const uint8_t *packet,
		struct ts_queue_place what)
{
	size_t at = ts_queue_at(q, i);

	memcpy(q->packets + at * TS_PACKET, packet, TS_PACKET);
	q->place[at].hash = what.hash;
	ts_queue_set_mark(q, i, what.at_mark % TS_QUEUE_MARKS);
}

void ts_queue_bring_first(struct ts_queue *q, size_t i)
{
	struct ts_queue_place what = q->place[ts_queue_at(q, i)];
	uint8_t packet[TS_PACKET];

	memcpy(packet, ts_queue_packet(q, i), TS_PACKET);
	for (; i > 0; i--)
		put(q, i, ts_queue_packet(q, i - 1),
		    q->place[ts_queue_at(q, i - 1)]);
	put(q, 0, packet, what);
}
