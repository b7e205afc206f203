/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/cbr_clock.h"

#include "common/base/util.h"
#include "worker/ts/pcr.h"

#include <string.h>

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

/* The effect of the slew since the base, in 1e-9 of a tick. */
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
	/* positions of one wake-up may be a little before the base */
	int64_t ticks = (int64_t)(tick - c->base_tick);

	return wrapped(c->base_pcr,
		       ticks + floor_div(slewed(c, ticks), PPB));
}

static void begin_window(struct cbr_clock *c, uint64_t tick)
{
	c->window_tick = tick;
	c->early = INT64_MIN;
	c->late = INT64_MAX;
}

/* Awake time since the last PCR. */
static int64_t awake_ticks(const struct cbr_clock *c,
			      const struct cbr_arrival *a)
{
	return (int64_t)(a->awake - c->in_awake);
}

static void measure(struct cbr_clock *c, const struct cbr_arrival *a,
		    int64_t off)
{
	int64_t stray = CBR_STRAY_MS * TICKS_MS;
	uint64_t window_ms;

	if (off < -stray && c->early > -stray &&
	    awake_ticks(c, a) > stray) {
		c->windows = 0;
		begin_window(c, a->tick);
	}
	c->early = MAX(c->early, off);
	c->late = MIN(c->late, off);
	window_ms = c->windows < CBR_FIRST_WINDOWS ? CBR_FIRST_WINDOW_MS
						   : CBR_WINDOW_MS;
	if (a->tick - c->window_tick < window_ms * (uint64_t)TICKS_MS)
		return;
	/* the window is over: adjusts the frequency */
	off = c->early - clamp(c->early, CBR_LOOSE_MS * TICKS_MS);
	if (c->early < -stray || c->late > stray) {
		c->stray = true;
		c->wanted_ppb = 0;
	} else {
		c->wanted_ppb = clamp(off * (PPB / CBR_CLOSE_S) /
					      (int64_t)PCR_HZ,
				      CBR_SLEW_MAX_PPB);
	}
	if (c->windows < CBR_FIRST_WINDOWS)
		c->windows++;
	begin_window(c, a->tick);
}

/* The clock of the source jumped, announced or not. */
static bool is_jump(const struct cbr_clock *c, const struct cbr_arrival *a,
		    int64_t off)
{
	int64_t stray = CBR_STRAY_MS * TICKS_MS;
	int64_t on = wrap_diff(a->pcr, c->in_pcr, PCR_WRAP);
	int64_t passed = (int64_t)(a->tick - c->in_tick);

	if (off <= stray && off >= -stray)
		return false;
	if (a->announced ||
	    awake_ticks(c, a) >= CBR_PAUSE_MS * TICKS_MS)
		return true;
	if (on >= 0 && on <= stray)
		return false; /* a normal step, perhaps late */
	return on - passed > stray || passed - on > stray;
}

bool cbr_clock_arrived(struct cbr_clock *c, const struct cbr_arrival *a)
{
	bool first = !c->running, jump;
	int64_t off;

	if (first) {
		c->running = true;
		c->base_tick = a->tick;
		c->base_pcr = a->pcr;
	}
	off = wrap_diff(wrapped(a->pcr, -c->shift), clock_at(c, a->tick),
			PCR_WRAP);
	jump = !first && (c->stray || is_jump(c, a, off));
	/* a packet that announces a time base enters the queue */
	if ((jump || a->announced) && c->n_jumps < CBR_JUMPS)
		c->jumps[c->n_jumps++] = 0;
	if (jump) {
		c->jumps[c->n_jumps - 1] += off;
		c->shift += off;
	}
	if (first || jump) {
		c->stray = false;
		c->windows = 0;
		begin_window(c, a->tick);
	} else {
		measure(c, a, off);
	}
	c->in_pcr = a->pcr;
	c->in_tick = a->tick;
	c->in_awake = a->awake;
	return jump;
}

uint64_t cbr_clock_leave(struct cbr_clock *c, uint64_t tick, bool jump)
{
	int64_t ticks = (int64_t)(tick - c->base_tick);
	int64_t part = slewed(c, ticks);
	int64_t ramp = MAX(ticks, 0) * CBR_RAMP_PPB / (int64_t)PCR_HZ;

	c->base_pcr = clock_at(c, tick);
	c->base_tick = tick;
	c->fraction = part - floor_div(part, PPB) * PPB;
	c->slew_ppb += clamp(c->wanted_ppb - c->slew_ppb, ramp);
	if (jump && c->n_jumps > 0) {
		c->base_pcr = wrapped(c->base_pcr, c->jumps[0]);
		c->shift -= c->jumps[0];
		c->n_jumps--;
		memmove(c->jumps, c->jumps + 1, c->n_jumps * sizeof *c->jumps);
	}
	c->sent = true;
	c->sent_tick = tick;
	return c->base_pcr;
}
