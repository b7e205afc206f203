/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/rist/rist_gaps.h"

#include "common/base/units.h"

enum {
	/* Tolerated growth of the sender's rate. */
	RATE_FACTOR = 2,
	SLACK_S = 1,
	/* For senders that send in bursts. */
	BURST_MAX = 1000,
};

void rist_gaps_begin(struct rist_gaps *g, uint16_t number)
{
	g->next = number;
	g->blocks = g->rate = 0;
}

static uint64_t most_in(const struct rist_gaps *g, uint64_t silent_ns)
{
	unsigned rate = g->rate > g->blocks ? g->rate : g->blocks;

	return (silent_ns / SECOND_NS + 1 + SLACK_S) * rate * RATE_FACTOR;
}

void rist_gaps_take(struct rist_gaps *g, uint16_t number, bool fresh,
		    uint64_t silent_ns)
{
	uint16_t gap = (uint16_t)(number - g->next);

	if (gap <= UINT16_MAX / 2 && (gap <= most_in(g, silent_ns) ||
				      (gap <= BURST_MAX && !fresh)))
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
