/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Continuity counters of the PIDs of a multiplex.
 *
 * The distance between the counters of a source does not change, so that a
 * receiver sees a loss in front of the multiplex.  Where a source begins, or
 * continues after packets that the multiplex dropped, its first packet has
 * payload_unit_start_indicator and the next counter of the PID.
 *
 * The caller passes the packets of a PID in the order in which they are sent.
 * Embedded; zeroed memory is ready.
 */
#pragma once

#include "worker/splice/continuity.h"

struct mux_counters {
	/* counter of the last packet that was sent, and SPLICE_CC_SEEN */
	uint8_t sent[TS_PIDS];
	uint8_t in[TS_PIDS];   /* last counter in the packets of the source,
				* plus 1; 0: none */
	uint32_t of[TS_PIDS];  /* number of the source of the last packet, from
				* 1; 0: none */
};

/* Sets the counter of a packet of a source (the first one is 1).  False: the
 * packet must not be sent, because the begin of its PES packet or section was
 * not sent. */
bool mux_counters_feed(struct mux_counters *, uint32_t source, uint8_t *packet);

/* Call it after packets of a PID were dropped: the PID is sent again from the
 * begin of a unit on. */
static inline void mux_counters_forget(struct mux_counters *c, uint16_t pid)
{
	c->in[pid] = 0;
}
