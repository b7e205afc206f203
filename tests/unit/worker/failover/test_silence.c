/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/failover/silence.h"

#include <criterion/criterion.h>

/* A read of n packets, a millisecond after one without. */
static bool feed(struct silence *s, uint64_t n, bool gap, uint64_t now_ns)
{
	return silence_feed(s, &(struct silence_read){ .empty_ns = now_ns - MS,
						       .n = n, .gap = gap },
			    now_ns);
}

/* Packets every pause_ms for so long. */
static void hear(struct silence *s, uint64_t *now_ns, unsigned pause_ms,
		 unsigned for_ms)
{
	for (unsigned ms = 0; ms < for_ms; ms += pause_ms) {
		*now_ns += pause_ms * MS;
		cr_assert_not(feed(s, 7, false, *now_ns));
	}
}

/* A pause in which packets were lost.  Is it a hole? */
static bool lose(struct silence *s, uint64_t *now_ns, unsigned pause_ms)
{
	*now_ns += pause_ms * MS;
	return feed(s, 7, true, *now_ns);
}

/* The time without packets until the source is silent. */
static uint64_t patience_ms(const struct silence *s)
{
	return (silence_ns(s) - s->last_ns) / MS;
}

Test(silence, has_no_time_before_the_first_packet)
{
	struct silence s = { 0 };

	cr_assert_eq(silence_ns(&s), UINT64_MAX);
}

Test(silence, is_found_within_200_ms_in_a_steady_source)
{
	struct silence s = { 0 };
	uint64_t now = 1000 * MS;

	hear(&s, &now, 10, 5000);
	cr_assert_eq(patience_ms(&s), SILENCE_LEAST_MS);
}

Test(silence, is_not_early_for_a_new_source)
{
	struct silence s = { 0 };
	uint64_t now = 1000 * MS;

	hear(&s, &now, 10, 100);
	cr_assert_geq(patience_ms(&s), 900);
}

Test(silence, waits_for_a_slow_source)
{
	struct silence s = { 0 };
	uint64_t now = 1000 * MS;

	hear(&s, &now, 150, 20000);
	cr_assert_geq(patience_ms(&s), 450);
	cr_assert_leq(patience_ms(&s), 460);
}

Test(silence, learns_regular_pauses_of_a_fast_stream)
{
	struct silence s = { 0 };
	uint64_t now = 1000 * MS;

	for (unsigned i = 0; i < 10; i++) {
		hear(&s, &now, 10, 1500);
		hear(&s, &now, 200, 200);
	}
	hear(&s, &now, 10, 1500);
	cr_assert_gt(patience_ms(&s), 200);
}

Test(silence, begins_after_a_second_at_the_latest)
{
	struct silence s = { 0 };
	uint64_t now = 1000 * MS;

	hear(&s, &now, 900, 9000);
	cr_assert_leq(patience_ms(&s), SILENCE_MOST_MS);
	hear(&s, &now, 5000, 50000);
	cr_assert_leq(patience_ms(&s), SILENCE_MOST_MS);
}

Test(silence, forgets_a_pause)
{
	struct silence s = { 0 };
	uint64_t now = 1000 * MS;

	hear(&s, &now, 10, 5000);
	hear(&s, &now, 600, 600);
	cr_assert_geq(patience_ms(&s), 900);
	hear(&s, &now, 1, 12000);
	cr_assert_eq(patience_ms(&s), SILENCE_LEAST_MS);
}

Test(silence, is_found_within_200_ms_after_any_loss)
{
	for (unsigned pause_ms = 20; pause_ms < 10000; pause_ms += 37) {
		struct silence s = { 0 };
		uint64_t now = 1000 * MS;

		hear(&s, &now, 10, 5000);
		for (unsigned i = 0; i < 5; i++) {
			(void)lose(&s, &now, pause_ms);
			cr_assert_eq(patience_ms(&s), SILENCE_LEAST_MS);
			hear(&s, &now, 10, pause_ms);
			cr_assert_eq(patience_ms(&s), SILENCE_LEAST_MS,
				     "%u ms: %lu", pause_ms,
				     (unsigned long)patience_ms(&s));
		}
	}
}

Test(silence, a_gap_shortly_after_a_pause_belongs_to_it)
{
	struct silence s = { 0 };
	uint64_t now = 1000 * MS;

	hear(&s, &now, 10, 5000);
	/* the counter of the first PID happens to continue */
	hear(&s, &now, 500, 500);
	hear(&s, &now, 10, 60);
	cr_assert(lose(&s, &now, 10));
	cr_assert_eq(patience_ms(&s), SILENCE_LEAST_MS);
}

Test(silence, a_lost_datagram_is_no_hole)
{
	/* 10 ms: a read; 80 ms: a datagram of 128 kbit/s */
	for (unsigned pause_ms = 10; pause_ms <= 80; pause_ms += 10) {
		struct silence s = { 0 };
		uint64_t now = 1000 * MS;

		hear(&s, &now, pause_ms, 5000);
		for (unsigned i = 0; i < 5; i++) {
			cr_assert_not(lose(&s, &now, pause_ms));
			cr_assert_not(lose(&s, &now, 2 * pause_ms),
				      "%u ms", pause_ms);
			hear(&s, &now, pause_ms, 500);
		}
		cr_assert(lose(&s, &now, 4 * pause_ms + 20));
	}
}

/* Each of the pauses is too short for a hole.  They are apart from each
 * other. */
Test(silence, a_few_short_pauses_with_losses_are_a_hole)
{
	for (unsigned every_ms = 50; every_ms <= 700; every_ms += 50)
		for (int tolerant = 0; tolerant <= 1; tolerant++) {
			struct silence s = { .tolerant = tolerant != 0 };
			uint64_t now = 1000 * MS;
			unsigned apart_ms = every_ms + 19;
			unsigned nth = (SILENCE_APART_MS + apart_ms - 1) /
				       apart_ms;
			bool often = every_ms <= 450 && !tolerant;

			hear(&s, &now, 10, 5000);
			for (unsigned i = 0; i <= 10; i++) {
				cr_assert_eq(lose(&s, &now, 19),
					     often && i >= 2 * nth &&
						     i % nth == 0,
					     "%u ms: %u", every_ms, i);
				hear(&s, &now, 10, every_ms);
			}
		}
}

/* A worker that did not read has not seen whether the source paused. */
Test(silence, a_late_read_is_no_hole)
{
	struct silence s = { 0 };
	uint64_t now = 1000 * MS;

	hear(&s, &now, 10, 5000);
	now += 300 * MS;
	cr_assert_not(silence_feed(&s,
				   &(struct silence_read){
					   .empty_ns = now - 301 * MS,
					   .n = 7,
					   .gap = true,
				   },
				   now));
	cr_assert_eq(patience_ms(&s), SILENCE_LEAST_MS);
}
