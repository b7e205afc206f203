/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * PCR, PTS and DTS of a source are moved by the same value, however its packets
 * arrive: the distance of the DTS from the PCR in the output is that of the
 * source.
 */
#include "tests/unit/worker/splice/stage.h"

#include <criterion/criterion.h>
#include "common/base/util.h"

#include <stdlib.h>

#define TICKS_MS 27000

enum { TICK_MS = 10, BURST_MS = 250, DEAD_MS = 1000, JUDGED_MS = 1000,
       DEATHS = 4,
       RUNS = 20 };

static struct stage s;
static struct source *a, *b;
static bool stalls;
static unsigned stalled_ms;
static uint32_t seed;

static void setup(void)
{
	stage_init(&s);
	a = source_new(UINT64_C(5000000000));
	b = source_new(UINT64_C(900000));
	b->shift = 0x20;
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
		if (!wanted && silent_ms >= DEAD_MS) {
			wanted = true;
			switch_point_want(entry, 2000, s.now_ns);
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
		splice_feed(s.splice, rest, n, s.now_ns);
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

Test(one_offset, both_inputs_come_in_bursts)
{
	deaths(BURST_MS, BURST_MS);
}

static void stall(uint32_t first_seed, unsigned burst_of_a)
{
	teardown();
	setup();
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
