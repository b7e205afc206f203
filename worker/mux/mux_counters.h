/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Continuity counters of the PIDs of a multiplex.
 *
 * The distance between the counters of a source stays, so that a loss in front
 * of the multiplex stays visible.  Where a source begins, or continues after
 * packets that were dropped here, the counter of the PID continues: its first
 * packet is one that starts a unit.
 *
 * Packets are given in the order in which those of a PID go out.  Embedded;
 * zeroed memory is ready.
 */
#pragma once

#include "worker/splice/continuity.h"

struct mux_counters {
	/* last counter that was given, and SPLICE_CC_SEEN */
	uint8_t sent[TS_PIDS];
	uint8_t in[TS_PIDS];   /* last counter of the source + 1; 0: none */
	uint32_t of[TS_PIDS];  /* number of that source, from 1; 0: none */
};

/* Sets the counter of a packet of a source (from 1).  False: the packet is not
 * sent, because the begin of its unit was not. */
bool mux_counters_feed(struct mux_counters *, uint32_t source, uint8_t *packet);

/* Forgets the source of a PID, because packets were dropped: it is sent again
 * from the begin of a unit on. */
static inline void mux_counters_forget(struct mux_counters *c, uint16_t pid)
{
	c->in[pid] = 0;
}
