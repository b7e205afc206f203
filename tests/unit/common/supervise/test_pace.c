/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/pace.h"

#include <criterion/criterion.h>

/* n beats at the same moment; how many of them are let through. */
static unsigned burst(struct pace *p, uint64_t now_ms, unsigned n)
{
	unsigned passed = 0;

	while (n-- > 0)
		passed += pace_beat(p, now_ms);
	return passed;
}

Test(pace, once_a_second_is_right_for_ever)
{
	struct pace p;

	pace_start(&p, 1000);
	for (uint64_t s = 1; s < 1000000; s++)
		cr_assert(pace_beat(&p, 1000 + s * 1000 + s % 200));
}

Test(pace, messages_queued_during_a_pause_of_the_master_are_allowed)
{
	struct pace p;

	pace_start(&p, 0);
	for (uint64_t s = 0; s < 10; s++)
		cr_assert(pace_beat(&p, s * 1000));
	cr_assert_eq(burst(&p, 250000, 240), 240);
}

Test(pace, faster_than_once_a_second_is_found_out)
{
	struct pace p;
	uint64_t ms = 5000;

	pace_start(&p, ms);
	while (pace_beat(&p, ms))
		ms += 500;
	cr_assert_gt(ms, 5000);
	cr_assert_lt(ms, 5000 + 10000);

	pace_start(&p, ms);
	cr_assert_lt(burst(&p, ms, 1900), 10);
}

/* A worker that is slow for a day may send no more than a channel holds. */
Test(pace, credit_has_an_end)
{
	struct pace p;

	pace_start(&p, 0);
	for (uint64_t ms = 0; ms < 86400000; ms += 2900)
		cr_assert(pace_beat(&p, ms));
	cr_assert_lt(burst(&p, 86400000, 2000), 350);
}
