/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Room for datagrams that have to wait, in slots of one size.
 *
 * Owns its memory, of which only what was ever needed exists.  A slot that is
 * given back may still be read until rtp_store_settle(): what was handed on
 * from it may not have been looked at yet.  Embedded.
 */
#pragma once

#include "worker/input/rtp.h"

enum {
	RTP_SLOT_SIZE = 2048,
	RTP_SLOT_NONE = 0xffff,
};

struct rtp_slot {
	uint16_t size; /* of the datagram */
	uint16_t head; /* where its payload begins */
	uint16_t len;  /* of the payload */
	uint8_t data[RTP_SLOT_SIZE - 6];
};

struct rtp_store {
	struct rtp_slot *slots;
	uint16_t n_slots;
	uint16_t n_fresh; /* so many were ever used */
	uint16_t n_free;  /* and given back */
	uint16_t n_spent; /* the same, but not settled */
	uint16_t *free, *spent;
};

/* n < RTP_SLOT_NONE */
void rtp_store_init(struct rtp_store *, uint16_t n);
void rtp_store_done(struct rtp_store *);

/* A copy of the datagram; RTP_SLOT_NONE when it is too long or no slot is
 * left. */
uint16_t rtp_store_add(struct rtp_store *, const struct rtp_datagram *);
void rtp_store_drop(struct rtp_store *, uint16_t slot);

static inline const struct rtp_slot *rtp_store_get(const struct rtp_store *s,
						   uint16_t slot)
{
	return &s->slots[slot];
}

/* Nobody reads any more what was dropped before. */
void rtp_store_settle(struct rtp_store *);

/* Is there a slot, without settling? */
bool rtp_store_has_room(const struct rtp_store *);

/* Gives memory back that only a burst needed; nothing may be unsettled. */
void rtp_store_trim(struct rtp_store *);
