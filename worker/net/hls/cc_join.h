/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps continuity counters continuous across segments.
 *
 * Many servers restart the counters in each segment. At a segment border this
 * module continues the counters of each PID, and drops the rest of a unit whose
 * start was lost with the previous segment. Inside a segment the differences of
 * the counters stay, so that loss remains visible.
 *
 * Pure. Embedded; zeroed memory is ready.
 */
#pragma once

#include "worker/ts/packet.h"

struct cc_join_pid {
	uint8_t last;    /* last counter sent */
	uint8_t offset;  /* added to received counters */
	uint8_t segment; /* segment in which the PID was last seen */
	bool seen;
	bool waits;      /* packets are dropped until a unit starts */
};

struct cc_join {
	uint8_t segment; /* number of the current segment, modulo 256 */
	uint32_t truncated; /* units whose start was missing at a border */
	struct cc_join_pid pids[TS_PIDS];
};

/* Begins a segment.  on: the segment continues the previous one. */
void cc_join_segment(struct cc_join *, bool on);

enum cc_join_result {
	CC_JOIN_UNCHANGED, /* the caller sends the packet as it is */
	CC_JOIN_CHANGED,   /* the caller sends it with the counter *ret_cc */
	CC_JOIN_DROP,      /* the caller drops the packet */
};

enum cc_join_result cc_join_feed(struct cc_join *, const uint8_t *packet,
				 uint8_t *ret_cc);
