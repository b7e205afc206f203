/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/iat_out.h"

#include <criterion/criterion.h>

#define US UINT64_C(1000)
#define MS (1000 * US)

static uint64_t in_bins(const struct iat_out *d)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < IAT_OUT_BINS; i++)
		sum += d->all[i];
	return sum;
}

Test(iat_out, counts_each_gap_in_the_bin_of_its_length)
{
	struct iat_out d = { 0 };
	uint64_t now = 7 * MS;

	iat_out_add(&d, now, 1);
	cr_assert_eq(in_bins(&d), 0, "no gap before the first datagram");
	for (size_t i = 0; i < IAT_OUT_BINS; i++) {
		uint64_t before = i > 0 ? iat_out_limit_us(i - 1) : 0;

		now += before * US;
		iat_out_add(&d, now, 1);
		cr_assert_eq(d.all[i], 1, "%zu", i);
	}
	cr_assert_eq(in_bins(&d), IAT_OUT_BINS);
	now += 3600000 * MS;
	iat_out_add(&d, now, 1);
	cr_assert_eq(d.all[IAT_OUT_BINS - 1], 2);
}

Test(iat_out, quantiles_are_those_of_the_last_second)
{
	struct iat_out d = { 0 };
	uint64_t now = 7 * MS;

	/* ten datagrams every 9.7 ms, and ten after a pause */
	for (unsigned i = 0; i < 100; i++)
		iat_out_add(&d, now += 9700 * US, 10);
	iat_out_add(&d, now += 31 * MS, 10);
	iat_out_every_second(&d);
	cr_assert_eq(d.p50_us, 10, "most gaps are 0");
	cr_assert_eq(d.p99_us, 10000);
	cr_assert_eq(d.max_us, 31000);
	for (unsigned i = 0; i < 300; i++)
		iat_out_add(&d, now += 1200 * US, 1);
	iat_out_every_second(&d);
	cr_assert_eq(d.p50_us, 1200, "at most the longest gap");
	cr_assert_eq(d.p99_us, 1200);
	cr_assert_eq(d.max_us, 1200);
	iat_out_every_second(&d);
	cr_assert_eq(d.p50_us + d.p99_us + d.max_us, 0, "an empty second");
	cr_assert_eq(in_bins(&d), 101 * 10 - 1 + 300);
}
