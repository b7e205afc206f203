/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rates of media segments, as a master playlist declares them (RFC 8216
 * 4.3.4.2).
 *
 * Pure.
 */
#pragma once

#include "common/base/ring_segment.h"

#include <stdint.h>

struct segment_rate {
	/* The highest rate of segments that are together about as long as the
	 * target duration, because a single segment may have a few pictures
	 * only. */
	uint64_t peak_bps;    /* BANDWIDTH, at least the average */
	uint64_t average_bps; /* AVERAGE-BANDWIDTH, above 0 */
};

/* The rates of the segments in the list, which has at least one. */
struct segment_rate segment_rate_of(const struct ring_segments *);
