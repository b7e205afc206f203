/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/stream_clock.h"

#include "common/base/units.h"

#define MS_TICKS (PCR_HZ / 1000)

uint64_t stream_clock_pcr(struct stream_clock *c, uint64_t pcr, bool jump,
			  uint64_t now_ns)
{
	uint64_t step = pcr_diff(pcr, c->pcr);
	bool had_pcr = c->has_pcr;

	c->pcr = pcr;
	c->has_pcr = true;
	if (!had_pcr || jump || step == 0 ||
	    step > STREAM_CLOCK_JUMP_MS * MS_TICKS)
		return 0;
	c->ticks += step;
	c->at_ns = now_ns;
	c->started = true;
	return step;
}

void stream_clock_tick(struct stream_clock *c, uint64_t now_ns)
{
	uint64_t passed = now_ns - c->at_ns;

	if (!c->started || now_ns < c->at_ns) {
		c->started = true;
		c->at_ns = now_ns;
		return;
	}
	if (passed < STREAM_CLOCK_PATIENCE_MS * MS)
		return;
	c->ticks += passed / 1000 * (PCR_HZ / 1000000);
	c->at_ns = now_ns;
}
