/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A ring of packets that wait for seconds.  Each packet is copied once and
 * stays in its place.
 *
 * Owns its memory; the kernel provides a page at its first use.  Embedded.
 */
#pragma once

#include "common/base/util.h"
#include "worker/ts/packet.h"

struct packet_ring {
	uint8_t *memory; /* NULL until the first packet */
	size_t head;     /* place of the oldest packet */
	size_t len;      /* packets that wait */
	size_t size;     /* places in use; after the last one comes the first */
	size_t max;      /* packets that may wait */
};

static inline void packet_ring_init(struct packet_ring *r, size_t max)
{
	*r = (struct packet_ring){ .max = max };
}
void packet_ring_done(struct packet_ring *);

/* The i-th packet that waits. */
static inline const uint8_t *packet_ring_at(const struct packet_ring *r,
					    size_t i)
{
	size_t place = r->head + i;

	return r->memory +
	       (place < r->size ? place : place - r->size) * TS_PACKET;
}

/* A run of the oldest packets: up to n, as many as are contiguous. */
static inline struct ts_run packet_ring_run(const struct packet_ring *r,
					    size_t n)
{
	return (struct ts_run){
		.data = r->memory + r->head * TS_PACKET,
		.n = MIN(MIN(n, r->len), r->size - r->head),
	};
}

/* Copies packets of a run to the end and returns the copy.  The copy is shorter
 * than the run if the memory ends there: call again with the others.  The ring
 * must have room for the whole run. */
struct ts_run packet_ring_push(struct packet_ring *, struct ts_run);

/* Removes the n oldest packets; they stay readable until the next push. */
void packet_ring_drop(struct packet_ring *, size_t n);

/* Frees memory that only an earlier, longer queue needed. */
void packet_ring_trim(struct packet_ring *);
