/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time inside a segment: where each of its units begins.  A unit is a
 * picture, or a PES packet of audio.
 *
 * It counts by DTS, so it does not depend on the arrival of packets.  A unit
 * without a DTS that can be read, as in a scrambled stream, and one whose DTS
 * jumps, begin at the time of the PCR.
 *
 * Times are in 90 kHz.  Pure.  Embedded.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct unit_time {
	uint64_t at;      /* time from the begin of the segment to the begin of
			   * its last unit */
	bool first;       /* the next unit is the first one of the segment */
	bool has_dts;
	uint64_t dts;     /* of the last unit, 33 bits */
	uint64_t clock;   /* length of the segment by PCR at the last unit */
	uint64_t step;    /* from the last unit but one to the last one */
	uint64_t before;  /* the step in front of `step'; 0: unknown */
};

/* A segment begins with the last unit (has_unit), or with the next one.  at:
 * how long the segment is already; 0: it is new. */
void unit_time_begin(struct unit_time *, uint64_t at, bool has_unit);

/* Call it when packets are missing in front of the next unit. */
static inline void unit_time_break(struct unit_time *t)
{
	t->has_dts = false;
}

/* A unit begins.  dts: its DTS; NULL: unknown.  clock: the length of the
 * segment by PCR. */
void unit_time_next(struct unit_time *, const uint64_t *dts, uint64_t clock);

/* The shortest and the longest duration that the last unit is likely to
 * have. */
uint64_t unit_time_shortest(const struct unit_time *);
uint64_t unit_time_longest(const struct unit_time *);
