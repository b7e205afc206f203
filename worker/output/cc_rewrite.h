/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rewrites the continuity counters of PIDs into which packets are inserted.
 *
 * Keeps the distance between the counters of the source, so that a loss stays
 * visible.  After an insertion a receiver can no longer recognize a duplicate
 * packet, so the caller drops it.
 *
 * Pure.  Embedded; zeroed memory is ready.
 */
#pragma once

#include "worker/ts/packet.h"

struct cc_rewrite {
	uint8_t in[TS_PIDS];  /* last counter of the source + 1; 0: none */
	uint8_t out[TS_PIDS]; /* counter of the next packet with payload */
};

/* Sets the new counter of packet, a copy; false: it is a duplicate. */
bool cc_rewrite_feed(struct cc_rewrite *, uint8_t *packet);

/* The counter of the next inserted packet.  The caller advances it by the
 * number of inserted packets. */
static inline uint8_t *cc_rewrite_next(struct cc_rewrite *c, uint16_t pid)
{
	return &c->out[pid & (TS_PIDS - 1)];
}
