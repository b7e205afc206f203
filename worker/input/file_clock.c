/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/file_clock.h"

#include "common/base/units.h"
#include "common/base/util.h"

void file_clock_init(struct file_clock *c, uint64_t now_ns)
{
	*c = (struct file_clock){ .from_ns = now_ns, .to_ns = now_ns };
	pcr_clock_init(&c->pcr, TS_PID_NULL);
}

bool file_clock_feed(struct file_clock *c, const uint8_t *packet)
{
	uint64_t before = c->pcr.at_packets;

	(void)pcr_clock_feed(&c->pcr, packet);
	return c->pcr.at_packets != before;
}

void file_clock_advance(struct file_clock *c, uint64_t now_ns, bool at_all)
{
	uint64_t to = at_all ? c->pcr.packets : c->pcr.at_packets;
	uint64_t ticks = at_all ? pcr_clock_ticks(&c->pcr) : c->pcr.at_ticks;
	uint64_t step = ticks > c->ticks ? ticks - c->ticks : 0;
	/* 27 MHz ticks to ns, in two parts against overflow */
	uint64_t lasts = step / 27 * 1000 + step % 27 * 1000 / 27;

	if (step == 0 && at_all)
		lasts = (to - c->to) * TS_PACKET * 8 * SECOND_NS /
			FILE_CLOCK_BPS;

	lasts -= (uint64_t)((int64_t)lasts / 1000000 * c->speed_ppm);
	c->from = c->to;
	c->from_ns = c->to_ns;
	if (now_ns > c->from_ns &&
	    now_ns - c->from_ns > FILE_CLOCK_LATE_MS * (SECOND_NS / 1000)) {
		c->slipped_ns += now_ns - c->from_ns;
		c->from_ns = now_ns;
	}
	c->to = to;
	c->to_ns = c->from_ns + lasts;
	/* never goes back: packets timed by the last rate may be ahead of the
	 * next PCR */
	c->ticks = MAX(c->ticks, ticks);
}

uint64_t file_clock_due(const struct file_clock *c, uint64_t now_ns)
{
	if (now_ns >= c->to_ns)
		return c->to;
	if (now_ns < c->from_ns)
		return c->from;

	/* no overflow of 64 bits: seconds (in ns) times thousands of packets */
	return c->from + (now_ns - c->from_ns) * (c->to - c->from) /
				 (c->to_ns - c->from_ns);
}

uint64_t file_clock_when(const struct file_clock *c, uint64_t packet)
{
	if (packet >= c->to)
		return c->to_ns;
	if (packet <= c->from)
		return c->from_ns;
	return c->from_ns + (packet - c->from) * (c->to_ns - c->from_ns) /
				    (c->to - c->from);
}
