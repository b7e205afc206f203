/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/splice/clock.h"

#include "common/base/util.h"
#include "worker/splice/splice.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

#include <stdlib.h>

#define MS (PCR_HZ / 1000)

#define STEP_LONG (SPLICE_CLOCK_STEP_MS * (int64_t)MS)
#define EARLY (SPLICE_CLOCK_EARLY_MS * (int64_t)MS)

/* A step, and an advance against the time, that are so far below STEP_LONG and
 * EARLY that the rounding of set_offset() does not lift them above these. */
#define STEP_SURE ((SPLICE_CLOCK_STEP_MS - 10) * (int64_t)MS)
#define EARLY_SURE (EARLY - (int64_t)MS)

enum { PACKET_SCALE = 256 };

static uint64_t add(uint64_t clock, int64_t ticks)
{
	int64_t wrap = (int64_t)PCR_WRAP;

	return (uint64_t)(((int64_t)clock + ticks % wrap + wrap) % wrap);
}

static int64_t diff(uint64_t later, uint64_t earlier)
{
	return wrap_diff(later, earlier, PCR_WRAP);
}

uint64_t splice_ticks_of_ns(uint64_t ns)
{
	/* seconds are converted separately, so that nothing overflows */
	uint64_t s = ns / 1000000000, rest = ns % 1000000000;

	return (s * PCR_HZ + rest * 27 / 1000) % PCR_WRAP;
}

void splice_smooth(uint64_t *mean, uint8_t *n, uint64_t measured)
{
	int64_t error = diff(measured, *mean);
	const int64_t stray = SPLICE_CLOCK_STRAY_MS * (int64_t)MS;

	if (*n == 0 || error > stray || error < -stray) {
		*mean = measured;
		*n = 1;
		return;
	}
	if (*n < SPLICE_CLOCK_SMOOTH)
		++*n;
	*mean = add(*mean, error / *n);
}

static uint64_t moved(const struct splice_clock *c, uint64_t pcr)
{
	return (pcr % PCR_WRAP + c->offset * PCR_PER_TICK) % PCR_WRAP;
}

int64_t splice_clock_gap(const struct splice_clock *c, uint64_t pcr)
{
	return diff(moved(c, pcr), c->pcr);
}

int64_t splice_clock_room(const struct splice_clock *c, uint64_t pcr)
{
	return STEP_SURE - splice_clock_gap(c, pcr);
}

uint64_t splice_clock_at(const struct splice_clock *c, uint64_t now_ns)
{
	if (c->anchored > 0)
		return add(c->anchor, (int64_t)splice_ticks_of_ns(now_ns));
	return add(c->pcr, (int64_t)splice_ticks_of_ns(now_ns - c->at_ns));
}

/* Ticks (27 MHz) since the last PCR went out; INT64_MAX: more than half the
 * range of a PCR. */
static int64_t passed_ticks(const struct splice_clock *c, uint64_t now_ns)
{
	uint64_t ns = now_ns - c->at_ns;

	return ns / 1000000000 >= PCR_WRAP / 2 / PCR_HZ
		? INT64_MAX : (int64_t)splice_ticks_of_ns(ns);
}

/* Is the step from the last PCR to `out' so long that it has to be announced,
 * and longer than the time that passed? */
static bool is_step(const struct splice_clock *c, uint64_t out, uint64_t now_ns)
{
	int64_t ticks = diff(out, c->pcr);

	return ticks > STEP_LONG && ticks - EARLY > passed_ticks(c, now_ns);
}

/* Returns `out', or if is_step() is true for it, a PCR for which it is not,
 * even after set_offset() has rounded up: the last PCR plus STEP_SURE, or plus
 * the time that passed and EARLY_SURE, if more than STEP_LONG has passed. */
static uint64_t limit(const struct splice_clock *c, uint64_t out,
		      uint64_t now_ns)
{
	int64_t passed = passed_ticks(c, now_ns);

	if (!is_step(c, out, now_ns))
		return out;
	return add(c->pcr, passed > STEP_LONG ? passed + EARLY_SURE
					      : STEP_SURE);
}

/* Is the PCR ahead of the value that the source is expected to send now?  A PCR
 * of a delayed burst is not.  gap: packets were lost, or are out of order. */
static bool is_ahead(const struct splice_clock *c, uint64_t out,
		     uint64_t now_ns, bool gap)
{
	uint64_t usual = add(splice_clock_at(c, now_ns), c->ahead);
	int64_t most = gap ? SPLICE_CLOCK_LOST_MS : SPLICE_CLOCK_LOOSE_MS;

	return diff(out, usual) > most * (int64_t)MS;
}

/* The duration of a number of packets at the rate of the stream, 27 MHz. */
static int64_t packets_ticks(const struct splice_clock *c, uint64_t packets)
{
	return (int64_t)(MIN(packets, 1000000) * c->packet_ticks /
			 PACKET_SCALE);
}

/* Does the PCR advance by more than the duration of the packets since the last
 * one?  False if the source has no steady rate: it may have paused. */
static bool is_beyond(const struct splice_clock *c,
		      const struct splice_watch *w, int64_t ticks,
		      uint64_t packets)
{
	return packets > 0 && w->steady == SPLICE_CLOCK_STEADY &&
	       ticks - packets_ticks(c, packets) > EARLY;
}

enum splice_pcr splice_clock_judge(const struct splice_clock *c,
				   const struct splice_watch *w,
				   struct splice_reading r, uint64_t now_ns)
{
	uint64_t out = moved(c, r.pcr);
	int64_t ticks = diff(out, c->pcr);
	int64_t back = w->gap ? SPLICE_CLOCK_BACK_MS : SPLICE_CLOCK_DIP_MS;

	if (ticks == 0)
		return SPLICE_PCR_REPEATED;
	if (ticks < 0)
		return ticks < -back * (int64_t)MS ||
				       (w->late && diff(r.pcr, w->late_pcr) > 0)
			? SPLICE_PCR_JUMP : SPLICE_PCR_LATE;
	if (ticks <= STEP_LONG)
		return SPLICE_PCR_GOOD;
	if (ticks - SPLICE_JUMP_MS * (int64_t)MS > passed_ticks(c, now_ns))
		return SPLICE_PCR_JUMP;
	if (w->n < SPLICE_CLOCK_HABIT || !is_step(c, out, now_ns) ||
	    ticks <= (int64_t)w->usual + EARLY)
		return SPLICE_PCR_GOOD;
	return is_ahead(c, out, now_ns, w->gap) ||
			       (!w->gap && is_beyond(c, w, ticks, r.packets))
		? SPLICE_PCR_JUMP : SPLICE_PCR_GOOD;
}

/* The expected step of the PCR over a number of packets, 27 MHz. */
static int64_t expected(const struct splice_clock *c,
			const struct splice_watch *w, uint64_t packets)
{
	int64_t ticks = packets_ticks(c, packets);

	if (c->packet_ticks == 0)
		return w->usual;
	return w->usual == 0 ? ticks : MIN(ticks, (int64_t)w->usual);
}

bool splice_clock_contradicts(const struct splice_clock *c,
			      const struct splice_watch *w,
			      struct splice_reading odd,
			      struct splice_reading next, uint64_t now_ns)
{
	int64_t step = expected(c, w, next.packets);
	int64_t both = expected(c, w, odd.packets) + step;
	int64_t off_clock = diff(moved(c, next.pcr), c->pcr) - both;
	int64_t off_odd = diff(next.pcr % PCR_WRAP, odd.pcr % PCR_WRAP) - step;

	next.packets += odd.packets;
	return splice_clock_judge(c, w, next, now_ns) == SPLICE_PCR_GOOD &&
	       llabs(off_clock) < llabs(off_odd);
}

void splice_watch_note(struct splice_watch *w, const struct splice_clock *c,
		       uint64_t pcr, uint64_t packets)
{
	int64_t ticks = diff(moved(c, pcr), c->pcr);
	int64_t expected = packets_ticks(c, packets);

	/* the step of the PCR is not the duration of the packets, within a
	 * quarter */
	if (!w->gap && 4 * llabs(ticks - expected) > expected)
		w->steady = 0;
	else if (w->steady < SPLICE_CLOCK_STEADY)
		w->steady++;
	if (w->n > 0 && !w->gap && ticks > 0) {
		uint32_t step = (uint32_t)MIN(ticks, (int64_t)PCR_HZ);

		w->usual = step > w->usual ? step
					   : w->usual - (w->usual - step) / 16;
	}
	if (w->n == 0)
		w->room = w->usual > 0 ? STEP_SURE - (int64_t)w->usual : 0;
	if (w->n < SPLICE_CLOCK_HABIT)
		w->n++;
	w->gap = w->lost = w->late = false;
}

void splice_clock_note(struct splice_clock *c, uint64_t pcr,
		       struct splice_moment now, bool live)
{
	uint64_t out = moved(c, pcr), measured, each;
	uint64_t ticks = (uint64_t)MAX(diff(out, c->pcr), 0);
	uint64_t packets = now.packets - c->at_packets;

	/* A longer step is a pause of the source, and does not show its
	 * rate. */
	if (c->used && packets > 0 && ticks <= PCR_HZ / 2) {
		each = ticks * PACKET_SCALE / packets;
		if (each <= SPLICE_PACKET_TICKS_MAX && c->packet_ticks > 0)
			each = (3 * (uint64_t)c->packet_ticks + each) / 4;
		if (each <= SPLICE_PACKET_TICKS_MAX)
			c->packet_ticks = (uint32_t)each;
	}
	c->used = 1;
	c->pcr = out;
	c->at_ns = now.ns;
	c->at_packets = now.packets;
	if (!live)
		return;
	measured = add(out, -(int64_t)splice_ticks_of_ns(now.ns));
	splice_smooth(&c->anchor, &c->anchored, add(measured, -c->ahead));
}

/* Notes by how much (27 MHz) the PCRs of the source are ahead of the output
 * clock. */
static void note_ahead(struct splice_clock *c, int64_t ticks)
{
	const int64_t most = SPLICE_CLOCK_AHEAD_MAX_S * (int64_t)PCR_HZ;

	c->ahead = MAX(MIN(ticks, most), -most);
}

static void set_offset(struct splice_clock *c, uint64_t in, uint64_t out)
{
	/* rounded up, so that no time goes back */
	uint64_t ticks = pcr_diff(out, in % PCR_WRAP) + PCR_PER_TICK - 1;

	c->offset = ticks / PCR_PER_TICK % PES_TIME_WRAP;
	c->lift = 0;
}

/* With the present offset, is this PCR less than fit_ms from the wanted one? */
static bool fits(const struct splice_clock *c, uint64_t pcr, uint64_t wanted,
		 int64_t fit_ms)
{
	int64_t off = diff(moved(c, pcr), wanted);
	int64_t fit = fit_ms * (int64_t)MS;

	return off < fit && off > -fit;
}

bool splice_clock_is_near(const struct splice_clock *c, uint64_t pcr,
			  uint64_t now_ns)
{
	return fits(c, pcr, add(splice_clock_at(c, now_ns), c->ahead),
		    SPLICE_CLOCK_FIT_MS);
}

/* The lowest value that the next output PCR may have. */
static uint64_t least(const struct splice_clock *c)
{
	return add(c->pcr, MAX(c->packet_ticks / PACKET_SCALE, 1));
}

void splice_clock_join_phase(struct splice_clock *c, uint64_t phase,
			     uint64_t now_ns)
{
	uint64_t in = add(phase, (int64_t)splice_ticks_of_ns(now_ns));
	uint64_t wanted = splice_clock_at(c, now_ns), out;

	if (!c->used)
		return;
	if (fits(c, in, wanted, SPLICE_CLOCK_LOOSE_MS)) {
		note_ahead(c, diff(moved(c, in), wanted));
		return;
	}
	out = limit(c, wanted, now_ns);
	set_offset(c, in, out);
	note_ahead(c, diff(out, wanted));
}

void splice_clock_join_pcr(struct splice_clock *c, uint64_t pcr,
			   struct splice_moment now)
{
	uint64_t wanted = splice_clock_at(c, now.ns);
	uint64_t out = wanted;

	if (!c->used)
		return;
	if (fits(c, pcr, wanted, SPLICE_CLOCK_FIT_MS) &&
	    diff(moved(c, pcr), least(c)) >= 0 &&
	    !is_step(c, moved(c, pcr), now.ns)) {
		note_ahead(c, diff(moved(c, pcr), wanted));
		return;
	}
	if (c->packet_ticks > 0) {
		const int64_t loose = SPLICE_CLOCK_LOOSE_MS * (int64_t)MS;
		uint64_t n = MIN(now.packets - c->at_packets, 1000000);
		uint64_t by_packets = add(c->pcr, (int64_t)(
			n * c->packet_ticks / PACKET_SCALE));
		int64_t off = diff(by_packets, wanted);

		if (off < loose && off > -loose)
			out = by_packets;
	}
	out = limit(c, out, now.ns);
	if (diff(out, least(c)) < 0)
		out = least(c);
	set_offset(c, pcr, out);
	note_ahead(c, diff(out, wanted));
}

enum splice_fit splice_clock_fit(const struct splice_clock *c, uint64_t pcr,
				 uint64_t now_ns)
{
	int64_t short_of = diff(least(c), moved(c, pcr));

	if (short_of > SPLICE_CLOCK_WRONG_MS * (int64_t)MS)
		return SPLICE_FIT_WRONG;
	if (is_step(c, moved(c, pcr), now_ns))
		return SPLICE_FIT_STEP;
	return short_of > 0 ? SPLICE_FIT_BACK : SPLICE_FIT_GOOD;
}

void splice_clock_shift(struct splice_clock *c, uint64_t ticks)
{
	c->offset = (c->offset + ticks) % PES_TIME_WRAP;
	note_ahead(c, c->ahead + (int64_t)(ticks * PCR_PER_TICK));
}

void splice_clock_raise(struct splice_clock *c, uint64_t pcr)
{
	int64_t short_of = MAX(diff(least(c), moved(c, pcr)), 0);
	uint64_t ticks = ((uint64_t)short_of + PCR_PER_TICK - 1) /
			 PCR_PER_TICK;

	splice_clock_shift(c, ticks);
}
