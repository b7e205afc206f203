/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/rtp/rtp_clock.h"

#include "common/base/units.h"
#include "common/base/util.h"

enum {
	TICKS_OF_90_KHZ = 300,
	/* After a pause this long, the stream's clock is unknown until the
	 * next PCR. */
	PAUSE_MS = 200,
	/* A burst lasts as long as stamps are reduced by at least SETTLED_MS in
	 * each SETTLE_MS. */
	SETTLE_MS = 1000,
	SETTLED_MS = 20,
	/* The most by which the clock of a stream is slower than the clock of
	 * the machine. */
	SLOWER_PPM = 100,
	SLOWER_TICKS = (int)(PCR_HZ / 1000000) * SLOWER_PPM,
};

static int64_t ticks_of_ms(int64_t ms)
{
	return ms * (int64_t)(PCR_HZ / 1000);
}

void rtp_clock_init(struct rtp_clock *c, uint32_t start, uint64_t now_ns)
{
	*c = (struct rtp_clock){ .last_ns = now_ns };
	pcr_clock_init(&c->pcr, TS_PID_NULL);
	rtp_clock_resume(c, (uint64_t)start * TICKS_OF_90_KHZ, now_ns);
}

void rtp_clock_resume(struct rtp_clock *c, uint64_t ticks, uint64_t at_ns)
{
	const uint64_t wrap = (UINT64_C(1) << 32) * TICKS_OF_90_KHZ;

	c->due = c->last = ticks % wrap;
	c->due_ns = c->last_ns = MIN(at_ns, c->last_ns);
}

uint64_t rtp_clock_due(const struct rtp_clock *c, uint64_t now_ns)
{
	const uint64_t us = PCR_HZ / 1000000;
	uint64_t ns = now_ns - MIN(c->due_ns, now_ns);

	return c->due + ns / 1000 * us + ns % 1000 * us / 1000;
}

static void settle(struct rtp_clock *c, uint64_t now_ns)
{
	c->settles = true;
	c->settle_ns = now_ns;
	c->settle_ticks = 0;
}

/* Notes a pause, and counts the two PCRs after it: the first one shows the
 * length of the pause, the second one the rate. */
static void note_pause(struct rtp_clock *c, uint64_t now_ns)
{
	if (c->follows && now_ns - c->last_ns > PAUSE_MS * MS) {
		c->paused = 2;
		c->paused_at = c->pcr.at_packets;
	} else if (c->paused > 0 && c->pcr.at_packets != c->paused_at) {
		c->paused_at = c->pcr.at_packets;
		c->judged = --c->paused == 0;
	}
}

/* Marks a new time base if the PCRs jumped, or if after a pause they differ by
 * more than PAUSE_MS from the time that passed.  off: that difference,
 * 27 MHz. */
static void judge(struct rtp_clock *c, int64_t off, uint64_t now_ns)
{
	const int64_t pause = ticks_of_ms(PAUSE_MS);

	c->marked |= c->pcr.jumps != c->jumps ||
		     (c->judged && (off > pause || off < -pause));
	c->follows = !c->marked;
	if (c->judged)
		settle(c, now_ns);
	c->judged = false;
}

/* Returns the time stamp `ticks', reduced to `due' if it is later.  No packet
 * leaves before it is due.  So a stamp later than `due' shows that earlier
 * packets were late, after a stall, and that their burst has caught up. */
static uint64_t catch_up(struct rtp_clock *c, uint64_t ticks, uint64_t due,
			 uint64_t now_ns)
{
	int64_t early = (int64_t)(ticks - due);

	if (now_ns - c->settle_ns >= SETTLE_MS * MS) {
		c->settles = c->settle_ticks >= ticks_of_ms(SETTLED_MS);
		c->settle_ns = now_ns;
		c->settle_ticks = 0;
	}
	if (early <= 0)
		return ticks;
	c->settle_ticks += early;
	c->origin -= (uint64_t)early;
	return due;
}

/* Adjusts the due time to the packets that leave earliest.  If no packet was
 * early for a second, the stream may be slower than the clock of the
 * machine. */
static void follow_due(struct rtp_clock *c, uint64_t ticks, uint64_t now_ns)
{
	uint64_t due = rtp_clock_due(c, now_ns);

	if ((int64_t)(ticks - due) >= 0) {
		c->due = ticks;
		c->due_ns = now_ns;
	} else if (now_ns - c->due_ns >= 1000 * MS) {
		c->due = due - SLOWER_TICKS;
		c->due_ns = now_ns;
	}
}

uint32_t rtp_clock_stamp(struct rtp_clock *c, uint64_t now_ns,
			 bool *ret_marker)
{
	uint64_t stream = pcr_clock_ticks(&c->pcr);
	uint64_t due = rtp_clock_due(c, now_ns), ticks = due;

	/* now_ns may be older than rtp_clock_init(): it is the time at which
	 * the current wake-up began */
	now_ns = MAX(now_ns, c->last_ns);
	note_pause(c, now_ns);
	if (c->follows)
		judge(c, (int64_t)(c->origin + stream - due), now_ns);
	c->jumps = c->pcr.jumps;
	if (c->follows && c->paused == 0) {
		ticks = c->origin + stream;
		if (c->settles)
			ticks = catch_up(c, ticks, due, now_ns);
	}
	/* The stamp must not go back: the last one may have been extrapolated
	 * at a higher rate. */
	ticks = MAX(ticks, c->last);
	if (!c->follows && c->pcr.span_packets > 0) {
		c->follows = true;
		c->origin = ticks - stream;
		settle(c, now_ns);
	}
	if (c->follows && c->paused == 0 && !c->settles)
		follow_due(c, ticks, now_ns);
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
