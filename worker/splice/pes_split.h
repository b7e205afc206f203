/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Moves the time stamps of a PES whose header lies in several packets
 * (pes_head.h): writes its parts into the copies of these packets.
 *
 * Pure.  Embedded.
 */
#pragma once

#include "worker/splice/stamps.h"
#include "worker/ts/pes_head.h"

#include <stdbool.h>

struct pes_split {
	struct pes_head head;
	uint8_t from; /* offset in head of the part that the last packet got */
	uint8_t next; /* offset in head of the part for the next packet */
};

/* Call it after HEAD_WHOLE: moves the header, and writes the part of the packet
 * in which the PES begins. */
void pes_split_begin(struct pes_split *, uint8_t *copy, struct stamps_move);

/* Writes the part of a packet of the PID that follows; cc: its counter, as
 * received.  False: the PES has no part of the header there, and no later
 * one. */
bool pes_split_continue(struct pes_split *, uint8_t *copy, unsigned cc);

/* Has all of the header gone out? */
static inline bool pes_split_is_done(const struct pes_split *h)
{
	return h->next == h->head.len;
}

/* Has the first packet of a PES the flags that say which times follow? */
bool pes_split_can_drop(const uint8_t *packet);
/* Removes the times from the first packet of a PES that does not have the whole
 * header: they are those of another clock.  The header then has stuffing
 * alone. */
void pes_split_drop(uint8_t *copy);
