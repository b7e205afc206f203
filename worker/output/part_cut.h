/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Divides the segments of a stream into parts for low latency, from one picture
 * to another (RFC 8216bis 4.4.4.9): no part is longer than the target, and each
 * but the last of a segment has at least 85 % of it.
 *
 * The target is the wanted duration, or another one, if no number of pictures
 * has such a length.  A single picture that is longer than the target raises
 * it, unless missing packets made it longer.
 *
 * Readers know the newest RING_PARTS parts, and list all parts of a segment or
 * none.  So the target is long enough for the expected length of segments, also
 * if the parts are shorter than it.  A segment that is longer, as the first one
 * of a stream may be, has no further part once there are too many, and its
 * length is the expected one of the next segments.
 *
 * Times are in 90 kHz, from the begin of the segment (unit_time.h).
 *
 * Pure.  Embedded.
 */
#pragma once

#include "common/base/ring_segment.h"

struct unit_time;

struct part_cut {
	uint64_t target;  /* longest duration of a part; 0: no parts */
	uint64_t wanted;  /* the configured target */
	uint64_t expected; /* the longest expected length of a segment */
	bool settled;     /* a part of the stream has confirmed the target */
	bool begun;       /* `now' is the part that is being written */
	bool crowded;     /* a segment had too many parts, so that it got no
			   * further part */
	uint64_t from;    /* time in the segment at which `now' begins */
	struct ring_part now;
	/* the last place (position, time) at which the part could have ended;
	 * pos 0: none */
	uint64_t last_pos, last;
	bool last_independent;
};

struct part_cut_config {
	unsigned part_ms;    /* wanted duration of parts; 0: no parts */
	unsigned segment_ms; /* expected length of segments */
	unsigned target_ms;  /* target of an earlier process in this ring; 0:
			      * none */
};

void part_cut_init(struct part_cut *, const struct part_cut_config *);

/* Prepares for segments that have, or round to, this length. */
void part_cut_expect(struct part_cut *, unsigned segment_ms);

unsigned part_cut_target_ms(const struct part_cut *);

/* Continues a part that an earlier process began.  `from': the time at its
 * begin; `at': the length of the segment now. */
void part_cut_resume(struct part_cut *, const struct ring_part *, uint64_t from,
		     uint64_t at);

/* Call it when a unit (unit_time.h) has begun.  True: with the unit in front of
 * it the part would be too long, so the part has ended in front of that unit,
 * and is in ret. */
bool part_cut_late(struct part_cut *, const struct unit_time *,
		   struct ring_part *ret);

/* Call it where a unit begins at pos, so that the part may end there.  True:
 * the part has ended at pos, and is in ret. */
bool part_cut_at(struct part_cut *, uint64_t pos, const struct unit_time *,
		 bool independent, struct ring_part *ret);

/* Ends the segment at the time `to'.  True: its last part ends there, too, and
 * is in ret; false: the segment has no further part. */
bool part_cut_end(struct part_cut *, const struct ring_segment *, uint64_t to,
		  const struct unit_time *, struct ring_part *ret);

/* Begins a segment with its first part. */
void part_cut_begin(struct part_cut *, const struct ring_segment *);
