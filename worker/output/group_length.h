/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The length of the last group of pictures: the time from a random access point
 * to the next.  The time of an outage belongs to no group.
 *
 * Embedded, pure; zeroed memory is a stream without groups yet.
 */
#pragma once

#include "common/base/ring.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	GROUP_MAX_MS = 60000, /* a longer group shows a jump of the time */
};

struct group_length {
	uint32_t ms; /* of the last group; 0: unknown */
	bool paused; /* an outage since the last random access point */
};

/* Takes a random access point and measures the group between it and `last'.
 * last: NULL: there is none before it, or the stream has no pictures. */
static inline void group_length_take(struct group_length *g,
				     const struct ring_rap *last,
				     const struct ring_rap *rap)
{
	int64_t ms = 0;

	if (!g->paused) {
		if (last != NULL && rap->pts != 0 && last->pts != 0)
			ms = wrap_diff(rap->pts, last->pts, PES_TIME_WRAP) / 90;
		else if (last != NULL)
			ms = wrap_diff(rap->pcr, last->pcr, PCR_WRAP) /
			     (int64_t)(PCR_HZ / 1000);
		g->ms = ms > 0 && ms <= GROUP_MAX_MS ? (uint32_t)ms : 0;
	}
	g->paused = false;
}
