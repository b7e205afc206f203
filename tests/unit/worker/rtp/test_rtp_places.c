/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two paths with the same datagrams (SMPTE 2022-7). */
#include "tests/unit/worker/rtp/rtp_rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const struct rtp_window_config both = {
	.places = 16384,
	.paths = 2,
	.reorder_ms = 20,
	.skew_ms = 500,
};

/* One datagram a millisecond, path 2 `skew` behind path 1 (or before it). */
struct run {
	uint32_t n;
	int skew;
	bool (*delivers)(uint32_t number, unsigned path);
};

static bool delivers(const struct run *run, int64_t number, unsigned path)
{
	return number >= 0 && number < run->n &&
	       run->delivers((uint32_t)number, path);
}

static void play(struct rtp_rig *r, const struct run *run)
{
	int first = MIN(0, run->skew), last = MAX(0, run->skew);

	for (int64_t ms = first; ms < (int64_t)run->n + last; ms++) {
		if (delivers(run, ms, 0))
			rtp_rig_feed_path(r, (uint32_t)ms, 0);
		if (delivers(run, ms - run->skew, 1))
			rtp_rig_feed_path(r, (uint32_t)(ms - run->skew), 1);
		rtp_rig_pass(r, 1);
		if (ms % 1000 == 999)
			rtp_window_every_second(r->window, r->now_ns);
	}
}

static bool all(uint32_t number, unsigned path)
{
	(void)number, (void)path;
	return true;
}

static bool either(uint32_t number, unsigned path)
{
	/* with both present, each path loses packets that the other has */
	return number < 600 || number > 2900 || number / 3 % 2 == path;
}

static bool first_dies(uint32_t number, unsigned path)
{
	return path == 1 || number < 1500;
}

static bool second_comes_and_goes(uint32_t number, unsigned path)
{
	return path == 0 || (number > 1000 && number < 2000);
}

static bool both_lose(uint32_t number, unsigned path)
{
	(void)path;
	return number < 1000 || number >= 1010;
}

static const int skews[] = { 0, 1, 30, 300, 499, -1, -30, -300, -499 };

static void expect_no_loss(bool (*paths)(uint32_t, unsigned), unsigned delay_ms)
{
	for (size_t i = 0; i < ARRAY_LEN(skews); i++) {
		const struct run run = { .n = 3000, .skew = skews[i],
					 .delivers = paths };
		struct rtp_window_config cfg = both;
		struct rtp_rig r;

		cfg.delay_ms = delay_ms;
		rtp_rig_init(&r, cfg);
		play(&r, &run);
		rtp_rig_pass(&r, 3000);
		/* the first may be before the other path's first */
		size_t missing = r.n > 0 ? r.out[0] : run.n;

		cr_assert_leq(missing, 499, "skew %d", skews[i]);
		rtp_rig_expect(&r, (uint32_t)missing, run.n - missing);
		cr_assert_eq(rtp_rig_counts(&r).lost, 0, "skew %d", skews[i]);
		cr_assert_eq(rtp_rig_counts(&r).duplicates, 0);
		rtp_rig_done(&r);
	}
}

Test(rtp_places, lose_no_datagram_that_one_path_delivers)
{
	expect_no_loss(all, 0);
	expect_no_loss(either, 0);
	expect_no_loss(first_dies, 0);
	expect_no_loss(second_comes_and_goes, 0);
}

Test(rtp_places, lose_no_datagram_with_a_delay)
{
	expect_no_loss(either, 600);
	expect_no_loss(first_dies, 600);
	expect_no_loss(second_comes_and_goes, 600);
}

Test(rtp_places, count_the_losses_of_each_path_and_their_skew)
{
	const struct run run = { .n = 3000, .skew = 120, .delivers = either };
	struct rtp_window_counts c;
	struct rtp_rig r;

	rtp_rig_init(&r, both);
	play(&r, &run);
	rtp_rig_pass(&r, 3000);
	c = rtp_rig_counts(&r);
	cr_assert_eq(c.skew_us, 120000);
	cr_assert_eq(c.path[0].lost + c.path[1].lost, 2301);
	cr_assert_eq(c.merged, 2301);
	cr_assert_eq(c.path[0].received + c.path[0].lost, 3000);
	cr_assert_eq(c.path[1].received + c.path[1].lost, 3000);
	rtp_rig_done(&r);
}

Test(rtp_places, count_a_loss_of_both_paths_once_and_soon)
{
	const struct run run = { .n = 3000, .skew = 50, .delivers = both_lose };
	struct rtp_window_counts c;
	struct rtp_rig r;

	rtp_rig_init(&r, both);
	play(&r, &(struct run){ .n = 1085, .skew = 0, .delivers = both_lose });
	/* both paths are past the gap */
	cr_assert_eq(rtp_rig_counts(&r).lost, 10);
	rtp_rig_done(&r);

	rtp_rig_init(&r, both);
	play(&r, &run);
	rtp_rig_pass(&r, 3000);
	c = rtp_rig_counts(&r);
	cr_assert_eq(c.lost, 10);
	cr_assert_eq(c.merged, 0);
	cr_assert_eq(c.path[0].lost, 10);
	cr_assert_eq(c.path[1].lost, 10);
	rtp_rig_done(&r);
}

Test(rtp_places, count_a_late_datagram_of_both_paths_once)
{
	struct rtp_rig r;

	rtp_rig_init(&r, both);
	for (unsigned path = 0; path < RTP_PATHS; path++) {
		rtp_rig_feed_path(&r, 0, path);
		rtp_rig_feed_path(&r, 2, path);
	}
	rtp_rig_pass(&r, 20);
	cr_assert_eq(rtp_rig_counts(&r).lost, 1);
	rtp_rig_feed_path(&r, 1, 0);
	rtp_rig_feed_path(&r, 1, 1);
	cr_assert_eq(rtp_rig_counts(&r).late, 1);
	cr_assert_eq(rtp_rig_counts(&r).duplicates, 0);
	rtp_rig_done(&r);
}

/* A loss of the faster path waits for the first datagram of the slower one. */
Test(rtp_places, wait_for_a_path_that_starts)
{
	struct rtp_rig r;

	rtp_rig_init(&r, both);
	for (uint32_t i = 0; i < 1000; i++) {
		if (i < 10 || i > 20)
			rtp_rig_feed_path(&r, i, 0);
		if (i >= 160)
			rtp_rig_feed_path(&r, i - 160, 1);
		rtp_rig_pass(&r, 1);
	}
	rtp_rig_expect(&r, 0, 1000);
	cr_assert_eq(rtp_rig_counts(&r).lost, 0);
	rtp_rig_done(&r);
}

/* A second path that never starts delays a loss at the start once. */
Test(rtp_places, wait_for_no_path_that_does_not_start)
{
	struct rtp_rig r;

	rtp_rig_init(&r, both);
	for (uint32_t i = 0; i < 1000; i++) {
		if (i != 10 && i != 700)
			rtp_rig_feed_path(&r, i, 0);
		if (i == 10 + 500)
			cr_assert_geq(r.n, 10 + 489);
		rtp_rig_pass(&r, 1);
	}
	cr_assert_eq(r.n, 998);
	cr_assert_eq(rtp_rig_counts(&r).lost, 2);
	rtp_rig_done(&r);
}

/* Without a living second path a gap is not waited for. */
Test(rtp_places, do_not_wait_for_a_dead_path)
{
	struct rtp_rig r;

	rtp_rig_init(&r, both);
	for (uint32_t i = 0; i < 2000; i++) {
		rtp_rig_feed(&r, i);
		if (i < 100)
			rtp_rig_feed_path(&r, i, 1);
		rtp_rig_pass(&r, 1);
	}
	r.n = 0;
	rtp_rig_feed(&r, 2001);
	rtp_rig_pass(&r, 20);
	rtp_rig_expect(&r, 2001, 1);
	cr_assert_eq(rtp_rig_counts(&r).lost, 1);
	rtp_rig_done(&r);
}

/* With a delay the times at which payloads go out do not show that the faster
 * path was cut. */
Test(rtp_places, keep_the_pace_when_a_path_is_cut)
{
	struct rtp_window_config cfg = both;
	struct rtp_rig r;
	size_t before;

	cfg.delay_ms = 400;
	rtp_rig_init(&r, cfg);
	for (uint32_t ms = 0; ms < 6000; ms++) {
		before = r.n;
		if (ms < 3000 || ms > 4500)
			rtp_rig_feed_path(&r, ms, 0);
		if (ms >= 300)
			rtp_rig_feed_path(&r, ms - 300, 1);
		rtp_rig_pass(&r, 1);
		if (ms % 1000 == 999)
			rtp_window_every_second(r.window, r.now_ns);
		if (ms > 2000)
			cr_assert_eq(r.n - before, 1, "at %u ms", ms);
	}
	cr_assert_eq(rtp_rig_counts(&r).lost, 0);
	rtp_rig_done(&r);
}

/* The source of both paths restarts; one path shows it first. */
Test(rtp_places, follow_a_source_that_restarts_on_both_paths)
{
	struct rtp_rig r;

	for (uint32_t ssrc = 1; ssrc <= 2; ssrc++) {
		rtp_rig_init(&r, both);
		for (uint32_t ms = 0; ms < 4000; ms++) {
			for (unsigned path = 0; path < 2; path++) {
				uint32_t at = ms - 200 * path;

				if (ms < 200 * path)
					continue;
				r.ssrc = at < 2000 ? 1 : ssrc;
				r.first_seq = at < 2000 ? 0 : 30000;
				r.first_time = at < 2000 ? 0 : 1U << 31;
				rtp_rig_feed_path(&r, at, path);
			}
			rtp_rig_pass(&r, 1);
		}
		rtp_rig_expect(&r, 0, 4000);
		cr_assert_eq(rtp_rig_counts(&r).lost, 0);
		rtp_rig_done(&r);
	}
}

/* One path alone switches to another sequence and returns: no datagram is lost
 * or sent twice. */
Test(rtp_places, stay_with_the_path_that_continues)
{
	for (size_t i = 0; i < ARRAY_LEN(skews); i++) {
		struct rtp_rig r;

		rtp_rig_init(&r, both);
		for (int ms = 500; ms < 7000; ms++) {
			r.ssrc = ms < 2000 || ms > 5000 ? 1 : 2;
			r.first_seq = r.ssrc == 1 ? 0 : 30000;
			r.first_time = r.ssrc == 1 ? 0 : 1U << 31;
			rtp_rig_feed_path(&r, (uint32_t)ms, 0);
			r.ssrc = 1;
			r.first_seq = 0;
			r.first_time = 0;
			rtp_rig_feed_path(&r, (uint32_t)(ms - skews[i]), 1);
			rtp_rig_pass(&r, 1);
		}
		rtp_rig_pass(&r, 3000);
		rtp_rig_expect(&r, r.out[0], r.n);
		cr_assert_geq(r.out[0] + 6500 - 499, 6500);
		cr_assert_eq(rtp_rig_counts(&r).lost, 0, "%d", skews[i]);
		rtp_rig_done(&r);
	}
}

/* A source restarts repeatedly while each path loses datagrams at random: the
 * output is in order, and datagrams are lost at the restarts only. */
Test(rtp_places, follow_a_restart_on_paths_with_losses)
{
	enum { N = 8000, LIFE = 2000, SEAM = 510, LOST_MAX = 150 };

	srandom(7);
	for (size_t i = 0; i < ARRAY_LEN(skews); i++) {
		static uint8_t gone[N];
		struct rtp_rig r;
		size_t seam = 0;

		for (size_t k = 0; k < N; k++)
			gone[k] = (uint8_t)(random() % 10
						    ? 0 : 1 + random() % 2);
		rtp_rig_init(&r, both);
		for (int ms = 0; ms < N + 500; ms++) {
			for (unsigned path = 0; path < 2; path++) {
				int at = ms - (path == 0 ? MAX(0, -skews[i])
							 : MAX(0, skews[i]));

				if (at < 0 || at >= N || gone[at] == path + 1)
					continue;
				r.ssrc = 1 + (uint32_t)at / LIFE;
				r.first_seq = (uint16_t)(r.ssrc * 9973);
				r.first_time = r.ssrc * 0x33333333;
				rtp_rig_feed_path(&r, (uint32_t)at, path);
			}
			rtp_rig_pass(&r, 1);
		}
		rtp_rig_pass(&r, 3000);
		for (size_t k = 1; k < r.n; k++) {
			cr_assert_gt(r.out[k], r.out[k - 1], "skew %d",
				     skews[i]);
			if (r.out[k] == r.out[k - 1] + 1)
				continue;
			seam += r.out[k] - r.out[k - 1] - 1;
			cr_assert_lt(r.out[k] % LIFE, SEAM, "skew %d: %u",
				     skews[i], r.out[k]);
		}
		cr_assert_lt(seam, (size_t)LOST_MAX, "skew %d: %zu",
			     skews[i], seam);
		rtp_rig_done(&r);
	}
}

/* The other path delivers too little of the new sequence to decide. */
Test(rtp_places, do_not_wait_long_for_a_path_with_few_datagrams)
{
	struct rtp_rig r;

	rtp_rig_init(&r, both);
	for (uint32_t ms = 0; ms < 5000; ms++) {
		r.ssrc = ms < 2000 ? 1 : 2;
		rtp_rig_feed_path(&r, ms, 0);
		if (ms < 2000 || ms % 2 == 0)
			rtp_rig_feed_path(&r, ms - 100, 1);
		rtp_rig_pass(&r, 1);
	}
	cr_assert_geq(r.n, 2000 + 1900);
	cr_assert_eq(r.out[r.n - 1], 4999);
	rtp_rig_done(&r);
}

/* Different streams are not merged: one of them is sent. */
Test(rtp_places, stay_with_one_of_two_different_streams)
{
	struct rtp_rig r;

	rtp_rig_init(&r, both);
	for (uint32_t i = 0; i < 2000; i++) {
		r.ssrc = 1;
		rtp_rig_feed_path(&r, i, 0);
		r.ssrc = 2;
		rtp_rig_feed_path(&r, 20000 + i, 1);
		rtp_rig_pass(&r, 1);
	}
	rtp_rig_expect(&r, 0, 2000);
	/* the other one, when it falls silent */
	for (uint32_t i = 2000; i < 4000; i++) {
		rtp_rig_feed_path(&r, 20000 + i, 1);
		rtp_rig_pass(&r, 1);
	}
	cr_assert_geq(r.n, 900);
	rtp_rig_expect(&r, 24000 - (uint32_t)r.n, r.n);
	rtp_rig_done(&r);
}
