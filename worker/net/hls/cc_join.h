/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Continuity counters over the borders of segments.
 *
 * Many servers count anew in each segment; where one begins, the counters of
 * each PID go on from what went out.  The end of a unit whose begin was lost
 * with the rest of the segment before is left out.  Inside a segment counters
 * stay as they came, so that what was lost there shows.
 *
 * Pure.  Embedded; zeroed memory has seen nothing.
 */
#pragma once

#include "worker/ts/packet.h"

struct cc_join_pid {
	uint8_t last;    /* counter that went out */
	uint8_t offset;  /* what is added to those that come */
	uint8_t segment; /* the last one that it was seen in */
	bool seen;
	bool waits;      /* for a unit to begin */
};

struct cc_join {
	uint8_t segment; /* counts them */
	uint32_t truncated;   /* units that lost their begin at a border */
	struct cc_join_pid pids[TS_PIDS];
};

/* A segment begins.  Not `on`: nothing of what came before matters to it. */
void cc_join_segment(struct cc_join *, bool on);

enum cc_join_result {
	CC_JOIN_UNCHANGED,
	CC_JOIN_CHANGED, /* goes out with *ret_cc */
	CC_JOIN_DROP,
};

enum cc_join_result cc_join_feed(struct cc_join *, const uint8_t *packet,
                                 uint8_t *ret_cc);
