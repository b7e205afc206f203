/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/rtp/rtp_clock.h"

#include "common/base/units.h"
#include "common/base/util.h"

enum {
	TICKS_OF_90_KHZ = 300,
	/* After a pause this long, the stream's clock is unknown until the
	 * next PCR. */
	PAUSE_MS = 200,
};

static const int64_t PAUSE_TICKS = PAUSE_MS * (int64_t)(PCR_HZ / 1000);

void rtp_clock_init(struct rtp_clock *c, uint32_t start, uint64_t now_ns)
{
	*c = (struct rtp_clock){
		.last = (uint64_t)start * TICKS_OF_90_KHZ,
		.last_ns = now_ns,
	};
	pcr_clock_init(&c->pcr, TS_PID_NULL);
}

/* The last time stamp, continued by the clock of the machine. */
static uint64_t by_time(const struct rtp_clock *c, uint64_t now_ns)
{
	return c->last + (now_ns - c->last_ns) / 1000 * (PCR_HZ / 1000000);
}

uint32_t rtp_clock_stamp(struct rtp_clock *c, uint64_t now_ns,
			 bool *ret_marker)
{
	uint64_t stream = pcr_clock_ticks(&c->pcr);
	uint64_t ticks;

	/* the first PCR after a pause shows its length, the second the rate */
	if (c->follows && now_ns - c->last_ns > PAUSE_MS * MS) {
		c->paused = 2;
		c->paused_at = c->pcr.at_packets;
	} else if (c->paused > 0 && c->pcr.at_packets != c->paused_at) {
		c->paused_at = c->pcr.at_packets;
		c->judged = --c->paused == 0;
	}
	if (c->follows) {
		int64_t off = (int64_t)(c->origin + stream -
					by_time(c, now_ns));

		/* a new time base: the PCRs jumped, or differ from the time
		 * that passed in a pause */
		c->marked |= c->pcr.jumps != c->jumps ||
			     (c->judged &&
			      (off > PAUSE_TICKS || off < -PAUSE_TICKS));
		c->follows = !c->marked;
		c->judged = false;
	}
	c->jumps = c->pcr.jumps;
	ticks = c->origin + stream;
	if (!c->follows || c->paused > 0)
		ticks = by_time(c, now_ns);
	/* The stamp must not go back: the last one may have been extrapolated
	 * at a higher rate. */
	ticks = MAX(ticks, c->last);
	if (!c->follows && c->pcr.span_packets > 0) {
		c->follows = true;
		c->origin = ticks - stream;
	}
	c->last = ticks;
	c->last_ns = now_ns;
	*ret_marker = c->marked;
	c->marked = false;
	return (uint32_t)(ticks / TICKS_OF_90_KHZ);
}

void rtp_clock_feed(struct rtp_clock *c, const uint8_t *packet)
{
	(void)pcr_clock_feed(&c->pcr, packet);
}
