/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Silent sources as a decoder sees them: each unit is in time for its clock,
 * and each jump of a clock is announced. */
#include "tests/unit/worker/output/cbr_stall_rig.h"

Test(cbr_stall, announces_the_jump_of_a_stopped_clock)
{
	static const unsigned stalls[] = { 1000, 1500, 1990, 2100, 2490, 2600,
					   15000, 187000 };

	for (size_t i = 0; i < ARRAY_LEN(stalls); i++) {
		struct bench *b = bench_new();

		play(b, 9000);
		hush(b, stalls[i]);
		uint64_t back = b->now_ns;
		play(b, 15000);
		cr_assert_eq(b->jumps, 1, "%u ms", stalls[i]);
		cr_assert_leq(b->jumped_ns - back, 100 * MS);
		judge_leads(b, 100, 50);
		bench_free(b);
	}
}

Test(cbr_stall, announces_nothing_for_a_running_clock)
{
	static const unsigned stalls[] = { 600, 1500, 2300, 15000, 187000 };

	for (size_t i = 0; i < ARRAY_LEN(stalls); i++) {
		struct bench *b = bench_new();

		play(b, 9000);
		hush(b, stalls[i]);
		set_clock(b, b->clock_ms + stalls[i]);
		play(b, 15000);
		cr_assert_eq(b->jumps, 0, "%u ms", stalls[i]);
		judge_leads(b, 100, 50);
		bench_free(b);
	}
}

Test(cbr_stall, follows_a_restarted_encoder_at_once)
{
	static const struct {
		unsigned stall;
		int off;
		bool announced;
	} cases[] = {
		{ 15000, -17300, true }, { 15000, -17300, false },
		{ 15000, 17300, true }, { 15000, 17300, false },
		{ 1200, 40000, true }, { 0, -17300, true },
		{ 0, 17300, false }, { 3000, -90000, false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bench *b = bench_new();

		play(b, 9000);
		hush(b, cases[i].stall);
		set_clock(b, b->clock_ms + cases[i].stall + cases[i].off);
		/* audio first, without earlier packets */
		b->sound_ms -= cases[i].stall > 0 ? UNIT_MS : 0;
		b->announces = cases[i].announced;
		uint64_t back = b->now_ns;
		play(b, 15000);
		/* the announcement of the source stays */
		cr_assert_eq(b->jumps,
			     cases[i].announced && cases[i].stall > 0 ? 2 : 1,
			     "case %zu", i);
		cr_assert_leq(b->jumped_ns - back, 100 * MS);
		judge_leads(b, 100, 50);
		bench_free(b);
	}
}

Test(cbr_stall, follows_several_stalls)
{
	struct bench *b = bench_new();

	for (unsigned i = 0; i < 30; i++) {
		play(b, 1000 + 170 * i);
		hush(b, 1000 + 130 * i);
	}
	cr_assert_eq(b->jumps, 29);
	judge_leads(b, 100, 50);
	bench_free(b);
}

Test(cbr_stall, waits_a_second_after_a_short_stall)
{
	for (unsigned speed = 10; speed <= 15; speed += 5) {
		struct bench *b = bench_new();

		play(b, 9000);
		hush(b, 700);
		uint64_t back = b->now_ns;
		for (unsigned i = 0; i < 700; i += 5) {
			b->clock_ms += speed - TURN_MS;
			play(b, TURN_MS);
		}
		play(b, 15000);
		cr_assert_eq(b->jumps, speed == 10 ? 1 : 0);
		cr_assert(b->jumps == 0 ||
			  b->jumped_ns - back <= 1200 * MS);
		judge_leads(b, LEAD_MS + 100, 50);
		bench_free(b);
	}
}

Test(cbr_stall, a_delayed_worker_sees_no_pause)
{
	struct bench *b = bench_new();

	play(b, 9000);
	/* after a delay of the machine all packets arrive at once */
	b->now_ns += 800 * MS;
	cbr_run(b->cbr, b->now_ns, take, b);
	b->clock_ms += 800;
	feed(b);
	play(b, 15000);
	cr_assert_eq(b->jumps, 0);
	bench_free(b);
}

/* A network delays the packets of the stall, and then delivers them in so many
 * turns.  Beyond 1.8 s the queue has no room for all of them. */
Test(cbr_stall, announces_nothing_for_packets_that_arrive_in_a_burst)
{
	static const struct {
		unsigned stall, turns;
	} cases[] = {
		{ 500, 1 }, { 1000, 1 }, { 1500, 1 }, { 1500, 2 }, { 1500, 5 },
		{ 1500, 20 }, { 1990, 1 }, { 2100, 1 }, { 2100, 3 },
		{ 2500, 1 }, { 2500, 10 }, { 2500, 30 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bench *b = bench_new();
		unsigned turns = cases[i].turns;

		play(b, 9000);
		hush(b, cases[i].stall);
		for (unsigned k = 0; k < turns; k++) {
			b->clock_ms += cases[i].stall / turns;
			play(b, TURN_MS);
		}
		play(b, 30000);
		cr_expect_eq(b->jumps, 0, "%u ms, %u turns: %u",
			     cases[i].stall, turns, b->jumps);
		/* the queue is sent at twice the rate of the source */
		b->least_ms = INFINITY;
		b->most_ms = -INFINITY;
		play(b, 1000);
		judge_leads(b, 100, 50);
		bench_free(b);
	}
}

Test(cbr_stall, follows_packets_that_were_delayed_together)
{
	struct bench *b = bench_new();

	play(b, 9000);
	hush(b, 15000);
	/* a network element delayed the last 1.4 s; the order is right */
	b->unit_ms += 13600;
	b->sound_ms += 13600;
	b->clock_ms += 15000;
	feed(b);
	play(b, 100);
	/* a sound in front of the first PCR has that of before */
	b->least_ms = INFINITY;
	b->most_ms = -INFINITY;
	play(b, 15000);
	cr_assert_eq(b->jumps, 0);
	judge_leads(b, LEAD_MS + 700, 50);
	b->least_ms = INFINITY;
	b->most_ms = -INFINITY;
	play(b, 1000);
	judge_leads(b, 400, 400);
	bench_free(b);
}

Test(cbr_stall, starts_each_queued_time_base_with_its_first_packet)
{
	struct bench *b = bench_new();

	play(b, 9000);
	hush(b, 15000);
	/* 0.2 s of one time base and 0.2 s of another, at once */
	b->clock_ms += 200;
	feed(b);
	set_clock(b, b->clock_ms + 60000);
	b->clock_ms += 200;
	feed(b);
	play(b, 5000);
	cr_assert_eq(b->jumps, 2);
	judge_leads(b, 300, 300);
	bench_free(b);
}

/* The path from the source becomes longer.  split: bytes of a PES in its first
 * packet. */
static void expect_no_late_unit(const unsigned *stalls, size_t n, unsigned gap,
				size_t split)
{
	struct bench *b = bench_new();

	b->split = split;
	add_tables(b);
	play(b, 9000);
	for (size_t i = 0; i < n; i++) {
		hush(b, stalls[i]);
		play(b, gap);
	}
	play(b, 20000);
	cr_assert_eq(b->jumps, 1, "%u ms first: %u", stalls[0], b->jumps);
	judge_leads(b, LEAD_MS, 50);
	bench_free(b);
}

Test(cbr_stall, announces_a_delay_before_a_unit_is_late)
{
	static const unsigned one[] = { 700, 650, 800, 990 };
	static const unsigned sum[] = { 200, 180, 150, 170 };

	for (size_t i = 0; i < ARRAY_LEN(one); i++)
		expect_no_late_unit(&one[i], 1, 0, 0);
	for (unsigned gap = 100; gap < 600; gap += 130)
		expect_no_late_unit(sum, ARRAY_LEN(sum), gap, 0);
}

Test(cbr_stall, reads_the_times_of_headers_that_several_packets_have)
{
	static const unsigned stalls[] = { 220, 200, 170, 190 };

	for (size_t split = 1; split < PES_HEADER + 5; split++) {
		expect_no_late_unit(&(unsigned){ 800 }, 1, 0, split);
		expect_no_late_unit(stalls, ARRAY_LEN(stalls), 230, split);
	}
}

/* A unit of any track.  The path became 500 ms longer. */
Test(cbr_stall, announces_a_delay_before_a_unit_of_the_closest_sound_is_late)
{
	struct bench *b = bench_new();

	add_sounds(b, 400);
	play(b, 9000);
	b->least_ms = INFINITY;
	hush(b, 500);
	play(b, 20000);
	cr_assert_eq(b->jumps, 1, "%u", b->jumps);
	cr_assert_gt(b->least_ms, 0., "%.1f ms", b->least_ms);
	bench_free(b);
}

/* The units are late by more than their lead, but their packets follow. */
Test(cbr_stall, announces_no_delay_of_packets_that_catch_up)
{
	for (unsigned stall = 300; stall < 1000; stall += 50) {
		struct bench *b = bench_new();

		add_tables(b);
		play(b, 9000);
		hush(b, stall);
		b->clock_ms += stall;
		play(b, 20000);
		cr_assert_eq(b->jumps, 0, "%u ms", stall);
		bench_free(b);
	}
}

/* The packets that a late worker finds, and a jump that was due by then. */
Test(cbr_stall, no_time_base_begins_with_delayed_packets)
{
	for (unsigned before = 940; before <= 1100; before += TURN_MS) {
		struct bench *b = bench_new();

		play(b, 9000);
		hush(b, 400);
		play(b, before);
		b->now_ns += 900 * MS;
		cbr_run(b->cbr, b->now_ns, take, b);
		b->clock_ms += 900;
		play(b, 20000);
		cr_expect_eq(b->jumps, 1, "%u ms: %u", before, b->jumps);
		/* the queue is sent at twice the rate of the source */
		b->least_ms = INFINITY;
		b->most_ms = -INFINITY;
		play(b, 1000);
		judge_leads(b, 100, 50);
		bench_free(b);
	}
}
