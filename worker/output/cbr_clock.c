/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/cbr_clock.h"

#include "common/base/util.h"
#include "worker/ts/pcr.h"

#include <string.h>

#define TICKS_MS ((int64_t)(PCR_HZ / 1000))
#define PPT INT64_C(1000000000000)

/* Most ticks by which the slew is multiplied, so that 64 bits suffice. */
#define SLEWED_MAX (10000 * (int64_t)PCR_HZ)

static uint64_t wrapped(uint64_t pcr, int64_t by)
{
	int64_t sum = (int64_t)pcr + by % (int64_t)PCR_WRAP;

	return (uint64_t)(sum + (int64_t)PCR_WRAP) % PCR_WRAP;
}

/* By how much the slew has moved the clock after so many ticks since its base,
 * in 1e-12 of a tick. */
static int64_t slewed(const struct cbr_clock *c, int64_t ticks)
{
	return cbr_clamp(ticks, SLEWED_MAX) * c->slew_ppt + c->fraction;
}

static int64_t floor_div(int64_t n, int64_t by)
{
	return n / by - (n % by < 0);
}

static uint64_t clock_at(const struct cbr_clock *c, uint64_t tick)
{
	/* tick may be before base_tick: packets that arrive in a wake-up may
	 * leave at positions that were due before it */
	int64_t ticks = (int64_t)(tick - c->base_tick);

	return wrapped(c->base_pcr,
		       ticks + floor_div(slewed(c, ticks), PPT));
}

static void begin_window(struct cbr_clock *c, uint64_t tick)
{
	c->window_tick = tick;
	c->early = INT64_MIN;
	c->late = INT64_MAX;
}

/* The ticks since the last PCR in which the worker was awake. */
static int64_t awake_ticks(const struct cbr_clock *c,
			      const struct cbr_arrival *a)
{
	return (int64_t)(a->awake - c->in_awake);
}

/* Ends a window: measures by its smallest delay how far the source is ahead,
 * and sets the wanted slew.  After a difference that no slew removes, sets
 * `stray', so that the next PCR starts a new time base. */
static void end_window(struct cbr_clock *c, const struct cbr_arrival *a)
{
	int64_t stray = CBR_STRAY_MS * TICKS_MS, far = CBR_FAR_MS * TICKS_MS;
	bool is_far = c->early < -far || c->late > far;
	bool was_stray = c->stray;

	c->far = is_far ? (uint8_t)(c->far + 1) : 0;
	if (c->early < -stray || c->late > stray) {
		c->stray = true;
		c->loop.n = 0;
		c->wanted_ppt = c->slew_ppt;
	} else {
		c->wanted_ppt = cbr_loop_measure(
			&c->loop, c->early,
			(int64_t)(a->tick - c->measured_tick), c->slew_ppt,
			CBR_WINDOW_MS);
		c->measured_tick = a->tick;
		c->stray = c->far >= CBR_FAR_WINDOWS;
	}
	/* after a stray window a source that is slow has no PCR as early as the
	 * earliest of that window, so the latest one counts */
	c->stray_off = was_stray ? c->late : c->early;
	if (c->windows < CBR_FIRST_WINDOWS)
		c->windows++;
	begin_window(c, a->tick);
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
	window_ms = c->windows >= CBR_FIRST_WINDOWS ? CBR_WINDOW_MS
		    : c->mux ? CBR_PAUSE_MUX_MS : CBR_FIRST_WINDOW_MS;
	if (a->tick - c->window_tick >= window_ms * (uint64_t)TICKS_MS)
		end_window(c, a);
}

static int64_t pause_ticks(const struct cbr_clock *c)
{
	return (c->mux ? CBR_PAUSE_MUX_MS : CBR_PAUSE_MS) * TICKS_MS;
}

void cbr_clock_unit(struct cbr_clock *c, uint64_t dts)
{
	int64_t lead = wrap_diff(dts, c->in_pcr, PCR_WRAP);
	int64_t rise = CBR_LEAD_RISE_MS * TICKS_MS;
	int64_t passed = MIN((int64_t)(c->in_tick - c->lead_tick), rise);

	if (!c->running || lead <= 0 || lead > CBR_LEAD_MAX_MS * TICKS_MS)
		return;
	if (c->lead > 0 && lead > c->lead)
		lead = c->lead + (lead - c->lead) * passed / rise;
	c->lead = lead;
	c->lead_tick = c->in_tick;
}

/* How late packets may be before units leave after their DTS, in ticks;
 * INT64_MAX: unknown. */
static int64_t late_most(const struct cbr_clock *c)
{
	/* at least CBR_STRAY_MS: every burst may have a shorter delay */
	return c->mux || c->lead == 0
		? INT64_MAX : MAX(c->lead - CBR_LEAD_SPARE_MS * TICKS_MS,
				  CBR_STRAY_MS * TICKS_MS);
}

int64_t cbr_clock_slack(const struct cbr_clock *c)
{
	int64_t most = late_most(c);

	return most == INT64_MAX ? most : most + MIN(c->off, 0);
}

/* True if units would leave after their DTS and the packets do not catch up:
 * either the packets wait, or the last two PCRs are too late and did not arrive
 * in a burst.  off: the lead of this PCR over the output. */
static bool is_too_late(const struct cbr_clock *c, const struct cbr_arrival *a,
			int64_t off)
{
	int64_t on = wrap_diff(a->pcr, c->in_pcr, PCR_WRAP);
	int64_t passed = (int64_t)(a->tick - c->in_tick);

	if (off >= -late_most(c) || a->tick < c->patient_tick)
		return false;
	return a->held || (c->off < -late_most(c) && 2 * passed > on);
}

/* True if the clock of the source jumped, announced or not.  off: the lead of
 * this PCR over the output. */
static bool is_jump(const struct cbr_clock *c, const struct cbr_arrival *a,
		    int64_t off)
{
	int64_t stray = CBR_STRAY_MS * TICKS_MS, far = CBR_FAR_MS * TICKS_MS;
	int64_t on = wrap_diff(a->pcr, c->in_pcr, PCR_WRAP);
	int64_t passed = (int64_t)(a->tick - c->in_tick);

	if (off <= far && off >= -far)
		return false;
	/* no delay of packets moves the values of PCRs apart */
	if (a->announced || (on < 0 && passed - on > far) || on - passed > far)
		return true;
	if (off <= stray && off >= -stray)
		return false;
	if (awake_ticks(c, a) >= pause_ticks(c) || is_too_late(c, a, off))
		return true;
	if (on >= 0 && on <= stray)
		return false; /* a normal step, perhaps late */
	return on - passed > stray || passed - on > stray;
}

/* Moves the new time base by off.  If the source had drifted too far without a
 * jump of its own, the measured frequency stays valid. */
static void jump_by(struct cbr_clock *c, int64_t off)
{
	bool same = c->far >= CBR_FAR_WINDOWS;

	c->jumps[c->n_jumps - 1] += off;
	c->shift += off;
	if (same) {
		c->fresh_ppt = cbr_loop_rebase(&c->loop, c->slew_ppt);
		c->has_fresh = true;
	} else {
		c->loop = (struct cbr_loop){ 0 };
	}
	c->wanted_ppt = same ? c->fresh_ppt : c->slew_ppt;
	c->far = 0;
}

static void drop_jump(struct cbr_clock *c)
{
	c->n_jumps--;
	memmove(c->jumps, c->jumps + 1, c->n_jumps * sizeof *c->jumps);
}

/* Decides whether a jump is in doubt: at the end of a pause the PCRs
 * may only be late, because the packets of the pause were delayed and will
 * catch up.  settle() then decides by the next PCRs.  off: the size of the
 * jump; below 0 the PCR is late. */
static void begin_doubt(struct cbr_clock *c, const struct cbr_arrival *a,
			int64_t off)
{
	c->doubts = a->held && !a->announced && off < 0 && c->n_jumps == 1 &&
		    wrap_diff(a->pcr, c->in_pcr, PCR_WRAP) >= 0;
	c->doubt_tick = a->tick;
	c->doubt_off = off;
}

/* Decides a doubt by the next PCR.  If the packets catch up, takes the jump
 * back.  off: the lead of this PCR over the new time base. */
static void settle(struct cbr_clock *c, const struct cbr_arrival *a,
		   int64_t off)
{
	int64_t burst = MIN(-c->doubt_off / 2, CBR_STRAY_MS * TICKS_MS);

	if (!a->held || a->announced || c->n_jumps == 0) {
		c->doubts = false;
	} else if (off > burst) {
		/* the packets of the pause were delayed: they have the time of
		 * a first window to catch up */
		c->shift -= c->jumps[0];
		drop_jump(c);
		c->windows = 0;
		begin_window(c, a->tick);
		c->patient_tick = a->tick + CBR_FIRST_WINDOW_MS * TICKS_MS;
		c->doubts = c->has_fresh = false;
	} else if (off < CBR_FAR_MS * TICKS_MS) {
		c->doubts = a->tick - c->doubt_tick <
			    CBR_DOUBT_MS * (uint64_t)TICKS_MS;
	}
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
	/* a PCR that is later than stray_off is only late itself, and does not
	 * show how far the source is away */
	jump = !first && ((c->stray && off >= c->stray_off -
						CBR_STEP_MS * TICKS_MS) ||
			  is_jump(c, a, off));
	/* a packet that announces a time base enters the queue */
	if ((jump || a->announced) && c->n_jumps < CBR_JUMPS)
		c->jumps[c->n_jumps++] = 0;
	c->off = jump ? 0 : off;
	if (jump) {
		jump_by(c, off);
		begin_doubt(c, a, off);
	}
	if (first || jump) {
		c->stray = false;
		c->windows = 0;
		c->measured_tick = a->tick;
		begin_window(c, a->tick);
	} else if (c->doubts) {
		settle(c, a, off);
	} else {
		measure(c, a, off);
	}
	c->in_pcr = a->pcr;
	c->in_tick = a->tick;
	c->in_awake = a->awake;
	return jump;
}

void cbr_clock_missed(struct cbr_clock *c, const struct cbr_arrival *a)
{
	int64_t on = wrap_diff(a->pcr, c->in_pcr, PCR_WRAP);
	int64_t passed = (int64_t)(a->tick - c->in_tick);

	if (on < 0 || on - passed > CBR_FAR_MS * TICKS_MS)
		return;
	c->in_pcr = a->pcr;
	c->in_tick = a->tick;
	c->in_awake = a->awake;
}

/* Moves the slew towards the wanted one, as fast as the limit of the drift
 * allows. */
static void ramp(struct cbr_clock *c, uint64_t tick)
{
	int64_t ticks = (int64_t)(tick - c->ramp_tick);
	int64_t most = cbr_clamp(ticks, SLEWED_MAX) * CBR_RAMP_PPT /
		       (int64_t)PCR_HZ;

	if (most <= 0)
		return;
	c->slew_ppt += cbr_clamp(c->wanted_ppt - c->slew_ppt, most);
	c->ramp_tick = tick;
}

bool cbr_clock_skip(struct cbr_clock *c)
{
	if (c->n_jumps == 0)
		return true;
	if (c->n_jumps == 1 && c->jumps[0] != 0)
		return false;
	if (c->n_jumps > 1)
		c->jumps[1] += c->jumps[0];
	drop_jump(c);
	return true;
}

uint64_t cbr_clock_leave(struct cbr_clock *c, uint64_t tick, bool jump)
{
	int64_t ticks = (int64_t)(tick - c->base_tick);
	int64_t part = slewed(c, ticks);

	c->base_pcr = clock_at(c, tick);
	c->base_tick = tick;
	c->fraction = part - floor_div(part, PPT) * PPT;
	ramp(c, tick);
	if (jump && c->n_jumps > 0) {
		c->base_pcr = wrapped(c->base_pcr, c->jumps[0]);
		c->shift -= c->jumps[0];
		drop_jump(c);
		if (c->has_fresh)
			c->slew_ppt = c->fresh_ppt;
		c->has_fresh = false;
	}
	c->sent = true;
	c->sent_tick = tick;
	return c->base_pcr;
}

bool cbr_clock_repeats(const struct cbr_clock *clock, const uint8_t *packet)
{
	const size_t pcr_at = 6, pcr_end = 12;
	size_t n = TS_PACKET;
	uint64_t pcr;

	if (ts_pcr(packet, &pcr))
		n = pcr_at;
	return ts_has_payload(packet) &&
	       memcmp(packet, clock->last, n) == 0 &&
	       memcmp(packet + pcr_end, clock->last + pcr_end,
		      TS_PACKET - pcr_end) == 0;
}
