/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets that wait for seconds, in a ring that is as long as what waited at
 * most: each is copied once, and stays where it is until its turn comes.
 *
 * Owns its memory, of which only what was needed exists.  Embedded.
 */
#pragma once

#include "common/base/util.h"
#include "worker/ts/packet.h"

struct packet_ring {
	uint8_t *memory; /* NULL until the first packet comes */
	size_t head;     /* place of the oldest */
	size_t len;      /* that wait */
	size_t size;     /* places; behind the last one it begins again */
	size_t max;      /* packets that may wait */
};

static inline void packet_ring_init(struct packet_ring *r, size_t max)
{
	*r = (struct packet_ring){ .max = max };
}
void packet_ring_done(struct packet_ring *);

/* The i-th of those that wait. */
static inline const uint8_t *packet_ring_at(const struct packet_ring *r,
					    size_t i)
{
	size_t place = r->head + i;

	return r->memory +
	       (place < r->size ? place : place - r->size) * TS_PACKET;
}

/* The oldest, up to n of them, as many as stand in one piece. */
static inline struct ts_run packet_ring_run(const struct packet_ring *r,
					    size_t n)
{
	return (struct ts_run){
		.data = r->memory + r->head * TS_PACKET,
		.n = MIN(MIN(n, r->len), r->size - r->head),
	};
}

/* Copies a run (from elsewhere) to the end, as much of it as goes there in one
 * piece.  There is room for all of it.  The copy. */
struct ts_run packet_ring_push(struct packet_ring *, struct ts_run);

/* Takes the n oldest away; they stay readable until the next push. */
void packet_ring_drop(struct packet_ring *, size_t n);

/* Gives back what a long queue once took, when it is short. */
void packet_ring_trim(struct packet_ring *);
