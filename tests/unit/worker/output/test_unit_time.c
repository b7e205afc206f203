/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/unit_time.h"

#include "worker/ts/pes.h"

#include <criterion/criterion.h>

static void next(struct unit_time *t, uint64_t dts)
{
	dts %= PES_TIME_WRAP;
	unit_time_next(t, &dts, 0);
}

Test(unit_time, counts_by_dts_across_a_wrap)
{
	struct unit_time t = { 0 };
	uint64_t dts = PES_TIME_WRAP - 5000;

	next(&t, dts);
	unit_time_begin(&t, 0, true);
	for (unsigned i = 1; i <= 10; i++) {
		next(&t, dts + i * UINT64_C(3600));
		cr_assert_eq(t.at, i * 3600);
	}
	cr_assert_eq(unit_time_longest(&t), 3600);
}

Test(unit_time, a_segment_may_begin_between_two_units)
{
	struct unit_time t = { 0 };

	next(&t, 3600);
	unit_time_begin(&t, 0, false);
	next(&t, 7200);
	cr_assert_eq(t.at, 0);
	next(&t, 10800);
	cr_assert_eq(t.at, 3600);
}

Test(unit_time, a_jump_and_a_unit_without_a_dts_take_the_time_of_the_pcr)
{
	struct unit_time t = { 0 };
	uint64_t dts = 900000, other = 4500000;

	unit_time_next(&t, &dts, 0);
	unit_time_begin(&t, 0, true);
	unit_time_next(&t, &other, 4000);
	cr_assert_eq(t.at, 4000);
	unit_time_next(&t, NULL, 8000);
	cr_assert_eq(t.at, 8000);
	/* the clock has no newer time */
	unit_time_next(&t, NULL, 8000);
	cr_assert_eq(t.at, 8000);
	/* a step back */
	dts = other - 90000;
	unit_time_next(&t, &other, 8000);
	unit_time_next(&t, &dts, 9000);
	cr_assert_eq(t.at, 9000);
}

Test(unit_time, knows_the_longer_of_two_pictures)
{
	struct unit_time t = { 0 };
	uint64_t dts = 0;

	next(&t, dts);
	unit_time_begin(&t, 0, true);
	/* film in 60 fields a second */
	for (unsigned i = 0; i < 8; i++) {
		dts += i % 2 ? 3003 : 4505;
		next(&t, dts);
		cr_assert_eq(unit_time_longest(&t), 4505);
	}
	cr_assert_eq(unit_time_shortest(&t), 3003);
}

Test(unit_time, a_hole_is_no_length_of_a_unit)
{
	struct unit_time t = { 0 };

	next(&t, 0);
	next(&t, 3600);
	next(&t, 300000);
	cr_assert_eq(unit_time_longest(&t), 3600);
	unit_time_break(&t);
	next(&t, 900000);
	next(&t, 903600);
	next(&t, 907200);
	cr_assert_eq(unit_time_longest(&t), 3600);
	cr_assert_eq(unit_time_shortest(&t), 3600);
}

Test(unit_time, goes_on_in_a_segment_of_an_earlier_process)
{
	struct unit_time t = { 0 };

	unit_time_begin(&t, 90000, false);
	next(&t, 5000);
	next(&t, 8600);
	cr_assert_eq(t.at, 93600);
}
