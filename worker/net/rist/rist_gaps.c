/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/rist/rist_gaps.h"

#include "common/base/units.h"
#include "common/base/util.h"

enum {
	/* factor by which the sender's rate may have grown */
	RATE_FACTOR = 2,
	SLACK_S = 1,
	/* Largest gap in blocks that is counted at any rate, because the sender
	 * may send in bursts; not if librist has restarted its buffer. */
	BURST_MAX = 1000,
};

void rist_gaps_begin(struct rist_gaps *g, uint16_t number)
{
	g->next = number;
	g->blocks = g->rate = 0;
}

void rist_gaps_take(struct rist_gaps *g, uint16_t number, bool fresh,
		    uint64_t silent_ns)
{
	uint16_t gap = (uint16_t)(number - g->next);
	uint64_t seconds = silent_ns / SECOND_NS + 1 + SLACK_S;
	/* largest number of blocks that the sender can have sent in this
	 * time */
	uint64_t most = seconds * MAX(g->rate, g->blocks) * RATE_FACTOR;

	if (gap <= UINT16_MAX / 2 &&
	    (gap <= most || (gap <= BURST_MAX && !fresh)))
		g->missed += gap;
	g->next = (uint16_t)(number + 1);
	g->blocks++;
}

void rist_gaps_every_second(struct rist_gaps *g)
{
	if (g->blocks > 0)
		g->rate = g->blocks;
	g->blocks = 0;
}
