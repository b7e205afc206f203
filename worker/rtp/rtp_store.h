/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory for RTP datagrams that wait, in slots of two sizes: usual frames and
 * jumbo frames.
 *
 * Owns its memory; slots that were not used yet take no memory.  A dropped slot
 * may be read until rtp_store_settle(), because its payload may be in a batch
 * that was not processed yet.  Embedded.
 */
#pragma once

#include "worker/rtp/rtp_packet.h"

enum {
	RTP_SLOT_HEAD = 6, /* bytes of struct rtp_slot in front of data */
	/* Bytes of a usual slot and of a jumbo slot, with the head; jumbo
	 * frames have 9,000 bytes. */
	RTP_SLOT_SIZE = 2048,
	RTP_LONG_SIZE = 9216,
	/* the longest datagram that fits a slot */
	RTP_LONGEST = RTP_LONG_SIZE - RTP_SLOT_HEAD,
	/* most jumbo slots: 36 MiB, or a second at 300 Mbit/s */
	RTP_LONG_MAX = 4096,
	RTP_SLOT_NONE = 0xffff, /* no slot */
};

struct rtp_slot {
	uint16_t size; /* bytes of the datagram */
	uint16_t head; /* offset of its payload */
	uint16_t len;  /* bytes of the payload */
	uint8_t data[];
};

/* Slots of one size. */
struct rtp_pool {
	uint8_t *memory; /* NULL until the first datagram */
	size_t slot_size;
	uint16_t n_slots;
	uint16_t n_fresh; /* slots that were used since the last trim */
	uint16_t n_free;  /* number of entries of free */
	uint16_t n_spent; /* number of entries of spent */
	/* indexes of free slots, and of dropped slots that may still be
	 * read */
	uint16_t *free, *spent;
};

enum { RTP_POOL_USUAL, RTP_POOL_JUMBO, RTP_POOLS };

struct rtp_store {
	struct rtp_pool pool[RTP_POOLS];
};

/* Makes a store with n usual slots, n < RTP_SLOT_NONE - RTP_LONG_MAX. */
void rtp_store_init(struct rtp_store *, uint16_t n);
void rtp_store_done(struct rtp_store *);

/* Copies the datagram to a slot, and returns the slot.  RTP_SLOT_NONE: the
 * datagram is too long, or all slots are used. */
uint16_t rtp_store_add(struct rtp_store *, const struct rtp_datagram *);
void rtp_store_drop(struct rtp_store *, uint16_t slot);

static inline const struct rtp_slot *rtp_store_get(const struct rtp_store *s,
						   uint16_t slot)
{
	const struct rtp_pool *p = &s->pool[RTP_POOL_USUAL];

	if (slot >= p->n_slots) {
		slot = (uint16_t)(slot - p->n_slots);
		p = &s->pool[RTP_POOL_JUMBO];
	}
	return (const struct rtp_slot *)(const void *)(p->memory +
						       slot * p->slot_size);
}

/* The payload of a slot, to be changed before it is sent. */
uint8_t *rtp_store_payload(struct rtp_store *, uint16_t slot);

/* Frees the dropped slots: the caller does not read them any more. */
void rtp_store_settle(struct rtp_store *);

/* True if a slot for a datagram of this size is free now, without
 * rtp_store_settle(). */
bool rtp_store_has_room(const struct rtp_store *, size_t size);

/* Frees the memory of a pool that an earlier burst needed.  A pool with a slot
 * in use or not settled keeps its memory. */
void rtp_store_trim(struct rtp_store *);
