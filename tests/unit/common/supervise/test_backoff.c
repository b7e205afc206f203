/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/backoff.h"

#include <criterion/criterion.h>

/* Runs for ran_ms, ready at once if ready, and ends; the delay. */
static unsigned life(struct backoff *b, uint64_t *now, uint64_t ran_ms,
		     bool ready)
{
	unsigned wait;

	backoff_started(b, *now);
	if (ready)
		backoff_ready(b, *now);
	*now += ran_ms;
	wait = backoff_ended(b, *now);
	*now += wait;
	return wait;
}

static void expect_about(unsigned wait, unsigned ms)
{
	cr_assert_geq(wait, ms * 8 / 10, "%u, not about %u", wait, ms);
	cr_assert_leq(wait, ms * 12 / 10, "%u, not about %u", wait, ms);
}

Test(backoff, restarts_at_once_then_with_growing_pauses_then_once_a_minute)
{
	for (uint32_t seed = 0; seed < 500; seed++) {
		struct backoff b = { .seed = seed * 2654435761u };
		uint64_t now = 1000;

		cr_assert_eq(life(&b, &now, 5000, true), 0);
		expect_about(life(&b, &now, 5000, true), 1000);
		expect_about(life(&b, &now, 5000, true), 2000);
		cr_assert(!backoff_is_quarantine(&b));
		expect_about(life(&b, &now, 5000, true), 4000);
		cr_assert(!backoff_is_quarantine(&b));
		for (int i = 0; i < 20; i++) {
			expect_about(life(&b, &now, 5000, true), 60000);
			cr_assert(backoff_is_quarantine(&b));
		}
	}
}

Test(backoff, jitter_parts_those_that_fell_together)
{
	unsigned low = UINT32_MAX, high = 0;

	for (uint32_t seed = 0; seed < 100; seed++) {
		struct backoff b = { .seed = seed * 2654435761u, .ends = 4 };
		uint64_t now = 1000;
		unsigned wait = life(&b, &now, 5000, true);

		low = wait < low ? wait : low;
		high = wait > high ? wait : high;
	}
	cr_assert_gt(high - low, 15000);
}

Test(backoff, forgives_after_a_healthy_minute)
{
	struct backoff b = { .ends = 4 };
	uint64_t now = 1000;

	cr_assert_eq(life(&b, &now, BACKOFF_HEALTHY_MS, true), 0);
	cr_assert_eq(b.ends, 1);

	/* a minute without being ready is not healthy */
	cr_assert_gt(life(&b, &now, BACKOFF_HEALTHY_MS, false), 0);
	cr_assert_eq(b.ends, 2);
}

Test(backoff, ends_the_quarantine_while_the_worker_lives)
{
	struct backoff b = { .ends = BACKOFF_QUARANTINE };

	backoff_started(&b, 1000);
	backoff_ready(&b, 2000);
	backoff_alive(&b, 2000 + BACKOFF_HEALTHY_MS - 1);
	cr_assert(backoff_is_quarantine(&b));
	backoff_alive(&b, 2000 + BACKOFF_HEALTHY_MS);
	cr_assert(!backoff_is_quarantine(&b));
}

Test(backoff, keeps_a_second_between_two_starts)
{
	struct backoff b = { 0 };
	uint64_t now = 1000;

	cr_assert_eq(life(&b, &now, 0, false), BACKOFF_SPACING_MS);
	backoff_reset(&b);
	cr_assert_eq(life(&b, &now, 300, true), BACKOFF_SPACING_MS - 300);
	backoff_reset(&b);
	cr_assert_eq(life(&b, &now, 1000, true), 0);
}

Test(backoff, some_successors_follow_in_a_row_and_then_one_a_minute)
{
	struct backoff b = { 0 };
	uint64_t now = 1000000;

	for (int i = 0; i < BACKOFF_RENEWALS; i++) {
		cr_assert_leq(backoff_renew_ms(&b), now, "number %d", i);
		cr_assert(backoff_renew(&b, now));
		now += 10;
	}
	for (int i = 0; i < 3; i++) {
		cr_assert_gt(backoff_renew_ms(&b), now);
		cr_assert_leq(backoff_renew_ms(&b), now + BACKOFF_RENEWAL_MS);
		cr_assert_not(backoff_renew(&b, now));
		now = backoff_renew_ms(&b);
		cr_assert(backoff_renew(&b, now));
	}
	/* after some time there are as many again */
	now += (uint64_t)BACKOFF_RENEWALS * BACKOFF_RENEWAL_MS;
	for (int i = 0; i < BACKOFF_RENEWALS; i++)
		cr_assert(backoff_renew(&b, now));
	cr_assert_not(backoff_renew(&b, now));
	cr_assert_eq(b.ends, 0);
}

/* A stick that is pulled and plugged again and again. */
Test(backoff, a_role_may_have_more_successors_in_a_row)
{
	struct backoff b = { .renewals = 2 * BACKOFF_RENEWALS };
	uint64_t now = 1000000;

	for (int i = 0; i < 2 * BACKOFF_RENEWALS; i++, now += 3000) {
		cr_assert(backoff_renew(&b, now), "number %d", i);
		backoff_started(&b, now);
		backoff_works(&b, true, now);
	}
	cr_assert_not(backoff_renew(&b, now));
}

Test(backoff, successors_count_anew_after_ten_seconds_of_work)
{
	struct backoff b = { 0 };
	uint64_t now = 1000000;

	for (int i = 0; i < BACKOFF_RENEWALS; i++)
		cr_assert(backoff_renew(&b, now));
	backoff_started(&b, now);
	for (int i = 0; i < BACKOFF_WORK_MS / 1000; i++, now += 1000)
		backoff_works(&b, true, now);
	cr_assert_not(backoff_renew(&b, now), "too early by a status");
	/* a pause, and another process */
	backoff_works(&b, false, now);
	backoff_works(&b, true, now += 1000);
	cr_assert_not(backoff_renew(&b, now));
	backoff_started(&b, now);
	backoff_works(&b, true, now += BACKOFF_WORK_MS);
	cr_assert_not(backoff_renew(&b, now));

	backoff_works(&b, true, now += BACKOFF_WORK_MS);
	cr_assert_eq(backoff_renew_ms(&b), 0);
	for (int i = 0; i < BACKOFF_RENEWALS; i++)
		cr_assert(backoff_renew(&b, now));
	cr_assert_not(backoff_renew(&b, now));
}
