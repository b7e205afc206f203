/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * PCR, PTS and DTS of a source are moved by the same value, however its packets
 * arrive: the distance of the DTS from the PCR in the output is that of the
 * source.
 */
#include "tests/unit/rounds.h"
#include "tests/unit/worker/splice/stage.h"

#include "common/base/util.h"
#include "worker/splice/stamps.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define TICKS_MS 27000

enum { TICK_MS = 10, BURST_MS = 250, DEAD_MS = 1000, JUDGED_MS = 1000,
       DEATHS = 4, RUNS = 5 };

static struct stage s;
static struct source *a, *b;
static bool stalls;
/* the next source may be entered in the silence of the one before; how often it
 * was */
static bool enters_past;
static unsigned past_entries;
static unsigned stalled_ms;
static uint32_t seed;

static void choose_sources(void)
{
	source_again(a, UINT64_C(5000000000));
	source_again(b, UINT64_C(900000));
	b->shift = 0x20;
}

static void setup(void)
{
	stage_init(&s);
	a = source_new(0);
	b = source_new(0);
	choose_sources();
}

static void next_case(void)
{
	stage_again(&s);
	choose_sources();
}

static void teardown(void)
{
	stage_done(&s);
	free(a);
	free(b);
}

TestSuite(one_offset, .init = setup, .fini = teardown);

/* Judges the distance of DTS and PCR from here on. */
static void begin_leads(void)
{
	s.judge.lead_min = INT64_MAX;
	s.judge.lead_max = INT64_MIN;
}

static void assert_leads(const char *where, unsigned i)
{
	/* pictures are 600 ms ahead, sounds 300 ms; less than 100 ms are
	 * between a PCR and a DTS */
	cr_assert_gt(s.judge.lead_min, 200 * TICKS_MS, "%s %u: %jd ms", where,
		     i, (intmax_t)s.judge.lead_min / TICKS_MS);
	cr_assert_lt(s.judge.lead_max, 700 * TICKS_MS, "%s %u: %jd ms", where,
		     i, (intmax_t)s.judge.lead_max / TICKS_MS);
}

/* A source whose packets arrive once each burst_ms. */
struct arrival {
	struct source *source;
	unsigned burst_ms;
	unsigned made_ms; /* made, and not yet delivered */
};

/* The packets that arrive in a tick.  stalled: they wait. */
static struct ts_run arrive(struct arrival *from, bool alive, bool stalled)
{
	size_t n = 0;

	from->made_ms += alive ? TICK_MS : 0;
	if (!stalled && s.now_ns / STAGE_MS % from->burst_ms < TICK_MS) {
		n = from->made_ms * SOURCE_RATE / 1000;
		from->made_ms = 0;
	}
	return source_make(from->source, n);
}

/* Does the worker stall in this tick, now and then for up to 250 ms? */
static bool is_stalled(void)
{
	if (stalls && stalled_ms == 0) {
		seed = seed * 1664525 + 1013904223;
		stalled_ms = 30 + (seed >> 8) % 320;
	}
	if (stalled_ms > 0)
		stalled_ms -= MIN(stalled_ms, TICK_MS);
	return stalled_ms > 80;
}

/* Plays `from`, which dies after alive_ms, and DEAD_MS after its last packet
 * `to`, up to ms. */
static void fail_over(struct arrival *from, struct arrival *to,
		      unsigned alive_ms, unsigned ms)
{
	struct switch_point *entry = switch_point_new(NULL);
	unsigned silent_ms = 0;
	bool changed = false, wanted = false;

	for (unsigned at = 0; at < ms; at += TICK_MS) {
		struct ts_run old, new, rest[2];
		size_t n;

		if (at == ms - JUDGED_MS)
			begin_leads();
		bool stalled = is_stalled();

		stage_wait(&s, TICK_MS);
		old = arrive(from, at < alive_ms, stalled);
		silent_ms = old.n > 0 ? 0 : silent_ms + TICK_MS;
		new = arrive(to, true, stalled);
		if (stalled)
			continue;
		if (!wanted && silent_ms >= (enters_past ? 200 : DEAD_MS)) {
			wanted = true;
			switch_point_want(entry, 2000, s.now_ns);
			if (enters_past)
				switch_point_set_past(entry, s.now_ns -
						      silent_ms * STAGE_MS);
		}
		if (changed) {
			splice_feed(s.splice, &new, 1, s.now_ns);
			continue;
		}
		splice_feed(s.splice, &old, 1, s.now_ns);
		if (!switch_point_feed(entry, &new, 1, s.now_ns, rest, &n))
			continue;
		changed = true;
		splice_cut(s.splice, entry, false, s.now_ns);
		if (switch_point_is_held(entry) && enters_past) {
			past_entries++;
			splice_feed_held(s.splice, rest[0], s.now_ns);
			splice_feed(s.splice, rest + 1, n - 1, s.now_ns);
		} else {
			splice_feed(s.splice, rest, n, s.now_ns);
		}
	}
	cr_assert(changed);
	switch_point_free(&entry);
}

/* The input with the bursts dies, and later, the other one. */
static void deaths(unsigned burst_of_a, unsigned burst_of_b)
{
	struct arrival from_a = { .source = a, .burst_ms = burst_of_a };
	struct arrival from_b = { .source = b, .burst_ms = burst_of_b };

	for (unsigned i = 0; i < DEATHS; i++) {
		/* at any place in a burst */
		fail_over(&from_a, &from_b, 2000 + 70 * i, 6000);
		assert_leads("first input died", i);
		fail_over(&from_b, &from_a, 2000 + 70 * i, 6000);
		assert_leads("second input died", i);
	}
	cr_assert_eq(s.judge.cc + s.judge.pcr_back + s.judge.dts_back, 0);
}

Test(one_offset, an_input_that_died_came_in_bursts)
{
	deaths(BURST_MS, TICK_MS);
}

/* The clock of the output does not move by the time for which the packets
 * waited. */
Test(one_offset, an_input_is_entered_in_the_silence_of_the_one_before)
{
	struct arrival from_a = { .source = a, .burst_ms = TICK_MS };
	struct arrival from_b = { .source = b, .burst_ms = 40 };

	enters_past = true;
	fail_over(&from_a, &from_b, 2000, 4000);
	for (unsigned i = 0; i < 12; i++) {
		int64_t span = s.judge.pcr_span;

		fail_over(&from_b, &from_a, 2000 + 40 * i, 4000);
		fail_over(&from_a, &from_b, 2000 + 40 * i, 4000);
		assert_leads("entered in the silence", i);
		/* as long as the time */
		span = (s.judge.pcr_span - span) / TICKS_MS;
		cr_assert_lt(llabs(span - 8000), 60, "%jd ms",
			     (intmax_t)span);
	}
	cr_assert_gt(past_entries, 5);
	cr_assert_eq(s.judge.cc + s.judge.pcr_back + s.judge.dts_back +
			     s.judge.discontinuities, 0);
}

Test(one_offset, both_inputs_come_in_bursts)
{
	deaths(BURST_MS, BURST_MS);
}

static void stall(uint32_t first_seed, unsigned burst_of_a)
{
	next_case();
	seed = first_seed;
	stalls = true;
	deaths(burst_of_a, TICK_MS);
}

Test(one_offset, the_worker_stalls)
{
	for (unsigned i = 1; i <= RUNS; i++)
		stall(i, TICK_MS);
}

Test(one_offset, the_worker_stalls_and_an_input_comes_in_bursts)
{
	for (unsigned i = 1; i <= RUNS; i++)
		stall(i, BURST_MS);
}

/* The phase of the source was measured before its clock was set. */
Test(one_offset, a_first_pcr_that_is_ahead_is_announced)
{
	struct switch_point *entry = switch_point_new(NULL);
	struct ts_run run, rest[2];
	bool found = false;
	size_t n;

	stage_play(&s, a, 2000);
	for (unsigned i = 0; i < 2000 && !found; i++) {
		b->no_pcr = i >= 1000;
		if (i == 1000)
			switch_point_want(entry, 1000, s.now_ns);
		run = source_make(b, 1);
		found = switch_point_feed(entry, &run, 1, s.now_ns, rest, &n);
		if (!found)
			stage_play(&s, a, i % 10 == 0 ? TICK_MS : 0);
	}
	cr_assert(found);
	splice_cut(s.splice, entry, false, s.now_ns);
	splice_feed(s.splice, rest, n, s.now_ns);
	b->no_pcr = false;
	b->start += 300 * (TICKS_MS / 300);
	stage_play(&s, b, 200);
	begin_leads();
	stage_play(&s, b, 1000);
	assert_leads("ahead", 0);
	cr_assert_eq(s.judge.discontinuities, 1);
	cr_assert_eq(s.judge.pcr_jump + s.judge.pcr_back, 0);
	cr_assert_eq(s.judge.dts_back + s.judge.cc, 0);
	switch_point_free(&entry);
}

/* --- a source whose clock jumps --- */

struct clock_jump {
	int64_t ms;
	unsigned pause_ms; /* packets that are lost in front of it */
	unsigned early_ms; /* PTS and DTS jump so long before the PCR */
	unsigned phase_ms; /* of packets and PCRs */
	unsigned tick_ms;
};

/* Plays `a`, whose clock is moved; with the first PCR after since_ms, PCRs as
 * well. */
static void play_moved(struct stamps_move *by, unsigned ms, unsigned tick_ms,
		       unsigned since_ms)
{
	for (unsigned at = 0; at < ms; at += tick_ms) {
		struct ts_run run = source_make(a, tick_ms);

		for (size_t k = 0; k < run.n; k++) {
			uint8_t *p = a->data + k * TS_PACKET;
			uint64_t pcr;

			if (at + k >= since_ms && ts_pcr(p, &pcr))
				by->clock = by->times;
			stamps_move(p, *by);
		}
		stage_wait(&s, tick_ms);
		splice_feed(s.splice, &run, 1, s.now_ns);
	}
}

static void assert_same(const struct clock_jump *j, int64_t was, int64_t is)
{
	cr_assert_lt(llabs(was - is), 15 * TICKS_MS,
		     "%lld ms after %u ms, %u ms early, at %u ms: %lld ms",
		     (long long)j->ms, j->pause_ms, j->early_ms, j->phase_ms,
		     (long long)(is - was) / TICKS_MS);
}

static void jump_once(const struct clock_jump *j)
{
	const unsigned all_ms = 1200; /* each phase of DTS and PCR */
	struct stamps_move by = { 0 };
	struct splice_counters c;
	int64_t least, most;

	next_case();
	a->gop = 5;
	stage_play(&s, a, 1000);
	begin_leads();
	play_moved(&by, all_ms, TICK_MS, 0);
	least = s.judge.lead_min;
	most = s.judge.lead_max;
	play_moved(&by, j->phase_ms, 1, 0);
	source_skip(a, j->pause_ms);
	stage_wait(&s, j->pause_ms);
	by.times = (uint64_t)(j->ms * 90 + 7) % PES_TIME_WRAP;
	play_moved(&by, 800, j->tick_ms, j->early_ms);
	begin_leads();
	play_moved(&by, all_ms, TICK_MS, 0);
	assert_same(j, least, s.judge.lead_min);
	assert_same(j, most, s.judge.lead_max);
	splice_counters(s.splice, &c);
	/* those of the units that lost their begin */
	cr_assert_leq(c.dropped, j->pause_ms > 0 ? 60 : 0, "%lld ms, %u: %ju",
		      (long long)j->ms, j->early_ms, (uintmax_t)c.dropped);
	cr_assert_eq(s.judge.pcr_back, 0);
	/* a PCR of the old clock may follow the units of the new one */
	if (j->ms > 0 || j->pause_ms + j->early_ms == 0)
		cr_assert_leq(s.judge.dts_back, j->early_ms > 0 ? 2 : 0,
			      "%lld ms after %u ms, %u ms early: %s",
			      (long long)j->ms, j->pause_ms, j->early_ms,
			      s.judge.events[0]);
}

static void jump_anywhere(struct clock_jump j)
{
	static const int64_t by[] = { 20, 39, 45, 59, 70, 130, 400, 1500,
				      5000, 9000, 100000 };

	for (size_t i = 0; i < ARRAY_LEN(by); i++) {
		for (unsigned k = (unsigned)i % ROUNDS_DIVISOR; k < 12;
		     k += ROUNDS_DIVISOR) {
			j.phase_ms = k / 4 * 19;
			j.tick_ms = k % 2 ? 10 : 1;
			j.ms = k / 2 % 2 ? by[i] : -by[i];
			jump_once(&j);
		}
	}
}

Test(one_offset, a_clock_jumps)
{
	jump_anywhere((struct clock_jump){ 0 });
}

Test(one_offset, a_clock_jumps_in_a_pause)
{
	static const unsigned pauses[] = { 60, 400 };

	for (size_t i = 0; i < sizeof pauses / sizeof *pauses; i++)
		jump_anywhere((struct clock_jump){ .pause_ms = pauses[i] });
}

Test(one_offset, units_jump_before_their_clock)
{
	for (unsigned ms = 10; ms < 40; ms += 24)
		jump_anywhere((struct clock_jump){ .early_ms = ms });
}

/* A source may do so at any time, also soon after it has done so. */
Test(one_offset, a_clock_goes_back_by_less_than_a_pcr_interval_each_second)
{
	struct clock_jump j = { 0 };
	struct stamps_move by = { 0 };
	int64_t least, most;

	a->gop = 5;
	stage_play(&s, a, 1000);
	begin_leads();
	play_moved(&by, 1200, TICK_MS, 0);
	least = s.judge.lead_min;
	most = s.judge.lead_max;
	for (unsigned i = 0; i < 20; i++) {
		uint64_t ticks = (39 + i) * 90;

		play_moved(&by, 1000 + i * 7, i % 2 ? 10 : 1, 0);
		by.times = (by.times + PES_TIME_WRAP - ticks) % PES_TIME_WRAP;
	}
	play_moved(&by, 500, 1, 0);
	begin_leads();
	play_moved(&by, 1200, TICK_MS, 0);
	assert_same(&j, least, s.judge.lead_min);
	assert_same(&j, most, s.judge.lead_max);
	cr_assert_eq(s.judge.dts_back, 0, "%s", s.judge.events[0]);
	cr_assert_eq(s.judge.pcr_back, 0);
}
