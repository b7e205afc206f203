/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ca/delay.h"

#include "common/base/units.h"

#include <criterion/criterion.h>
#include <string.h>

static void push(struct delay *d, uint8_t first, size_t n, uint64_t ms)
{
	static uint8_t data[64][TS_PACKET];
	struct ts_run run = { data[0], n };

	for (size_t i = 0; i < n; i++)
		data[i][1] = (uint8_t)(first + i);
	delay_push(d, run, ms * MS);
}

Test(delay, packets_leave_after_their_time_in_their_order)
{
	struct delay d;
	struct ts_run run;
	uint64_t ns = 0;
	uint8_t next = 0;

	delay_init(&d, 100);
	cr_assert_eq(delay_next_ns(&d), UINT64_MAX);
	push(&d, 0, 10, 1000);
	push(&d, 10, 5, 1050);
	cr_assert_eq(delay_next_ns(&d), 1100 * MS);
	cr_assert_eq(delay_pull(&d, 1099 * MS, &ns).n, 0);
	while ((run = delay_pull(&d, 1100 * MS, &ns)).n > 0) {
		cr_assert_eq(ns, 1000 * MS);
		for (size_t i = 0; i < run.n; i++)
			cr_assert_eq(run.data[i * TS_PACKET + 1], next++);
	}
	cr_assert_eq(next, 10);
	while ((run = delay_pull(&d, 1150 * MS, &ns)).n > 0) {
		cr_assert_eq(ns, 1050 * MS);
		next = (uint8_t)(next + run.n);
	}
	cr_assert_eq(next, 15);
	push(&d, 0, 3, 2000);
	delay_reset(&d);
	cr_assert_eq(delay_next_ns(&d), UINT64_MAX);
	cr_assert_eq(delay_pull(&d, 9000 * MS, &ns).n, 0);
	delay_done(&d);
}

Test(delay, what_exceeds_its_memory_leaves_early)
{
	struct delay d;
	uint64_t ns, pushed = 0, pulled = 0;

	delay_init(&d, 10000);
	for (unsigned i = 0; i < DELAY_BYTES_MAX / TS_PACKET / 64 + 100; i++) {
		struct ts_run run;

		push(&d, 0, 64, 1000 + i / 2);
		pushed += 64;
		while ((run = delay_pull(&d, (1000 + i / 2) * MS, &ns)).n > 0)
			pulled += run.n;
	}
	cr_assert_gt(pulled, 0);
	cr_assert_eq(pushed - pulled, d.ring.len);
	cr_assert_lt(d.ring.len, d.ring.max);
	delay_done(&d);
}
