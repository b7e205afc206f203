/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/iat_out.h"

#include <criterion/criterion.h>

#define US UINT64_C(1000)
#define MS (1000 * US)

static uint64_t in_bins(const struct departures *d)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < DEPARTURE_BINS; i++)
		sum += d->all[i];
	return sum;
}

Test(departures, every_gap_is_in_the_bin_of_its_length)
{
	struct departures d = { 0 };
	uint64_t now = 7 * MS;

	departures_note(&d, now, 1);
	cr_assert_eq(in_bins(&d), 0, "there is none before the first");
	for (size_t i = 0; i < DEPARTURE_BINS; i++) {
		uint64_t before = i > 0 ? departures_limit_us(i - 1) : 0;

		now += before * US;
		departures_note(&d, now, 1);
		cr_assert_eq(d.all[i], 1, "%zu", i);
	}
	cr_assert_eq(in_bins(&d), DEPARTURE_BINS);
	now += 3600000 * MS;
	departures_note(&d, now, 1);
	cr_assert_eq(d.all[DEPARTURE_BINS - 1], 2);
}

Test(departures, the_figures_are_those_of_the_last_second)
{
	struct departures d = { 0 };
	uint64_t now = 7 * MS;

	/* ten at once every 9.7 ms, and once much later */
	for (unsigned i = 0; i < 100; i++)
		departures_note(&d, now += 9700 * US, 10);
	departures_note(&d, now += 31 * MS, 10);
	departures_second(&d);
	cr_assert_eq(d.p50_us, 10, "most leave with another");
	cr_assert_eq(d.p99_us, 10000);
	cr_assert_eq(d.max_us, 31000);
	for (unsigned i = 0; i < 300; i++)
		departures_note(&d, now += 1200 * US, 1);
	departures_second(&d);
	cr_assert_eq(d.p50_us, 1200, "no more than the longest");
	cr_assert_eq(d.p99_us, 1200);
	cr_assert_eq(d.max_us, 1200);
	departures_second(&d);
	cr_assert_eq(d.p50_us + d.p99_us + d.max_us, 0, "nothing left");
	cr_assert_eq(in_bins(&d), 101 * 10 - 1 + 300);
}
