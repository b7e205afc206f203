/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Continuity counters of PIDs into which packets are put.
 *
 * The distances between counters that came are kept, so a loss stays visible;
 * a repeated packet cannot be kept apart from a new one any more and is to be
 * dropped.  Pure.  Embedded; zeroed memory is ready.
 */
#pragma once

#include "worker/ts/packet.h"

struct cc_rewrite {
	uint8_t in[TS_PIDS];  /* the last that came, and one; 0: none yet */
	uint8_t out[TS_PIDS]; /* of the next packet with payload */
};

/* Gives packet (of a watched PID, a copy) its new counter; false when it is a
 * repetition. */
bool cc_rewrite_feed(struct cc_rewrite *, uint8_t *packet);

/* The counter of the next packet that is put in; behind n of them it is to be
 * moved on by n. */
static inline uint8_t *cc_rewrite_next(struct cc_rewrite *c, uint16_t pid)
{
	return &c->out[pid & (TS_PIDS - 1)];
}
