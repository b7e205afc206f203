/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Room for datagrams that have to wait, in slots of two sizes: those of a usual
 * network, and jumbo frames.
 *
 * Owns its memory, of which only what was ever needed exists.  A slot that is
 * given back may still be read until rtp_store_settle(): what was handed on
 * from it may not have been looked at yet.  Embedded.
 */
#pragma once

#include "worker/rtp/rtp_packet.h"

enum {
	RTP_SLOT_HEAD = 6,
	/* With the head: 9,000 bytes are the longest frames in use. */
	RTP_SLOT_SIZE = 2048,
	RTP_LONG_SIZE = 9216,
	RTP_LONGEST = RTP_LONG_SIZE - RTP_SLOT_HEAD,
	RTP_LONG_MAX = 4096, /* slots: 36 MiB, or a second at 300 Mbit/s */
	RTP_SLOT_NONE = 0xffff,
};

struct rtp_slot {
	uint16_t size; /* of the datagram */
	uint16_t head; /* where its payload begins */
	uint16_t len;  /* of the payload */
	uint8_t data[];
};

/* Slots of one size. */
struct rtp_pool {
	uint8_t *memory; /* NULL until it is needed */
	size_t slot_size;
	uint16_t n_slots;
	uint16_t n_fresh; /* so many were ever used */
	uint16_t n_free;  /* and given back */
	uint16_t n_spent; /* the same, but not settled */
	uint16_t *free, *spent;
};

struct rtp_store {
	struct rtp_pool usual, jumbo;
};

/* n < RTP_SLOT_NONE - RTP_LONG_MAX */
void rtp_store_init(struct rtp_store *, uint16_t n);
void rtp_store_done(struct rtp_store *);

/* A copy of the datagram; RTP_SLOT_NONE when it is too long or no slot is
 * left. */
uint16_t rtp_store_add(struct rtp_store *, const struct rtp_datagram *);
void rtp_store_drop(struct rtp_store *, uint16_t slot);

static inline const struct rtp_slot *rtp_store_get(const struct rtp_store *s,
						   uint16_t slot)
{
	const struct rtp_pool *p = &s->usual;

	if (slot >= p->n_slots) {
		slot = (uint16_t)(slot - p->n_slots);
		p = &s->jumbo;
	}
	return (const struct rtp_slot *)(const void *)(p->memory +
						       slot * p->slot_size);
}

/* Nobody reads any more what was dropped before. */
void rtp_store_settle(struct rtp_store *);

/* Is there a slot for one of this size, without settling? */
bool rtp_store_has_room(const struct rtp_store *, size_t size);

/* Gives memory back that only a burst needed; nothing may be unsettled. */
void rtp_store_trim(struct rtp_store *);
