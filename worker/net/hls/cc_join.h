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

struct join_pid {
	uint8_t last;    /* counter that went out */
	uint8_t offset;  /* what is added to those that come */
	uint8_t segment; /* the last one that it was seen in */
	bool seen;
	bool waits;      /* for a unit to begin */
};

struct join {
	uint8_t segment; /* counts them */
	uint32_t torn;   /* units that lost their begin at a border */
	struct join_pid pids[TS_PIDS];
};

/* A segment begins.  Not `on`: nothing of what came before matters to it. */
void join_segment(struct join *, bool on);

enum join_is {
	JOIN_AS_IT_IS,
	JOIN_CHANGED, /* goes out with *ret_cc */
	JOIN_LEFT_OUT,
};

enum join_is join_look(struct join *, const uint8_t *packet, uint8_t *ret_cc);
