/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/cbr_clock.h"

#include "common/util.h"
#include "worker/ts/pcr.h"

#define TICKS_MS ((int64_t)(PCR_HZ / 1000))
#define PPB INT64_C(1000000000)

static int64_t clamp(int64_t value, int64_t most)
{
	return MAX(MIN(value, most), -most);
}

static uint64_t wrapped(uint64_t pcr, int64_t by)
{
	int64_t sum = (int64_t)pcr + by % (int64_t)PCR_WRAP;

	return (uint64_t)(sum + (int64_t)PCR_WRAP) % PCR_WRAP;
}

/* What the slew makes of the ticks since the base, in 1e-9 of a tick. */
static int64_t slewed(const struct cbr_clock *c, int64_t ticks)
{
	return ticks * c->slew_ppb + c->fraction;
}

static int64_t floor_div(int64_t n, int64_t by)
{
	return n / by - (n % by < 0);
}

static uint64_t clock_at(const struct cbr_clock *c, uint64_t tick)
{
	/* places of one wake-up may lie a little before the base */
	int64_t ticks = (int64_t)(tick - c->base_tick);

	return wrapped(c->base_pcr,
		       ticks + floor_div(slewed(c, ticks), PPB));
}

static void move_base(struct cbr_clock *c, uint64_t tick)
{
	int64_t ticks = (int64_t)(tick - c->base_tick);
	int64_t part = slewed(c, ticks);
	int64_t ramp = MAX(ticks, 0) * CBR_RAMP_PPB / (int64_t)PCR_HZ;

	c->base_pcr = clock_at(c, tick);
	c->base_tick = tick;
	c->fraction = part - floor_div(part, PPB) * PPB;
	c->slew_ppb += clamp(c->wanted_ppb - c->slew_ppb, ramp);
}

static void begin_window(struct cbr_clock *c, uint64_t tick)
{
	c->window_tick = tick;
	c->early = INT64_MIN;
	c->late = INT64_MAX;
}

/* What a finished window says of the two clocks. */
static void judge_window(struct cbr_clock *c)
{
	int64_t stray = CBR_STRAY_MS * TICKS_MS;
	int64_t loose = CBR_LOOSE_MS * TICKS_MS;
	int64_t off = c->early - clamp(c->early, loose);

	if (c->early < -stray || c->late > stray) {
		c->stray = true;
		c->wanted_ppb = 0;
		return;
	}
	c->wanted_ppb = clamp(off * (PPB / CBR_CLOSE_S) / (int64_t)PCR_HZ,
			      CBR_SLEW_MAX_PPB);
}

/* Has the source's clock left the course of time, without a word? */
static bool is_jump(const struct cbr_clock *c, uint64_t pcr, uint64_t tick,
		    int64_t off)
{
	int64_t stray = CBR_STRAY_MS * TICKS_MS;
	int64_t on = wrap_diff(pcr, c->in_pcr, PCR_WRAP);
	int64_t passed = (int64_t)(tick - c->in_tick);

	if (on >= 0 && on <= stray)
		return false; /* a step like any other, if maybe late */
	return (off > stray || off < -stray) &&
	       (on - passed > stray || passed - on > stray);
}

bool cbr_clock_arrived(struct cbr_clock *c, uint64_t pcr, bool announced,
		       uint64_t tick)
{
	int64_t off;
	bool jump;

	if (!c->running) {
		c->running = true;
		c->base_tick = c->in_tick = tick;
		c->base_pcr = c->in_pcr = pcr;
		begin_window(c, tick);
		return false;
	}
	off = wrap_diff(wrapped(pcr, -c->shift), clock_at(c, tick), PCR_WRAP);
	jump = c->stray || is_jump(c, pcr, tick, off) ||
	       (announced && (off > CBR_STRAY_MS * TICKS_MS ||
			      off < -CBR_STRAY_MS * TICKS_MS));
	c->in_pcr = pcr;
	c->in_tick = tick;
	if (jump) {
		c->shift += off;
		c->stray = false;
		begin_window(c, tick);
		return true;
	}
	c->early = MAX(c->early, off);
	c->late = MIN(c->late, off);
	if (tick - c->window_tick >= CBR_WINDOW_MS * (uint64_t)TICKS_MS) {
		judge_window(c);
		begin_window(c, tick);
	}
	return false;
}

uint64_t cbr_clock_leave(struct cbr_clock *c, uint64_t tick, bool jump)
{
	move_base(c, tick);
	if (jump) {
		c->base_pcr = wrapped(c->base_pcr, c->shift);
		c->shift = 0;
	}
	c->sent = true;
	c->sent_tick = tick;
	return c->base_pcr;
}
