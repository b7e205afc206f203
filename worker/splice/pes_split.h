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
	/* offset in the header of the part that was written last */
	uint8_t from;
	/* offset in the header of the part for the next packet */
	uint8_t next;
};

/* Call it after HEAD_WHOLE: moves the header, and writes the part of the packet
 * in which the PES begins. */
void pes_split_begin(struct pes_split *, uint8_t *copy, struct stamps_move);

/* Writes the next part of the header into the copy of a later packet of the
 * PID.  cc: its counter, as received.  False: the header is complete, or a
 * packet was lost, so no more parts follow. */
bool pes_split_continue(struct pes_split *, uint8_t *copy, unsigned cc);

/* Has the whole header been written? */
static inline bool pes_split_is_done(const struct pes_split *h)
{
	return h->next == h->head.len;
}

/* True if the first packet of a PES contains PTS_DTS_flags, so that
 * pes_split_drop() can clear them. */
bool pes_split_can_drop(const uint8_t *packet);
/* Clears PTS_DTS_flags and the flags of the other optional fields in the first
 * packet of a PES whose header is incomplete, because its time stamps cannot be
 * moved.  The fields then count as stuffing. */
void pes_split_drop(uint8_t *copy);
