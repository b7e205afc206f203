/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/ipc/credit.h"

#include "common/base/mono.h"
#include "common/base/units.h"
#include "proto/ipc/contract.h"

#include <criterion/criterion.h>

/* takes the place of common/base/mono.c */
static uint64_t clock_ns = SECOND_NS;

uint64_t mono_ns(void)
{
	return clock_ns;
}

uint64_t mono_ms(void)
{
	return clock_ns / MS;
}

Test(credit, a_pause_is_worth_more_than_one_message)
{
	const int64_t cost_ns = MS / 2;
	struct credit c;
	unsigned n = 0;

	credit_start(&c);
	credit_charge(&c, CHANNEL_COST_SAVED_MS * (int64_t)MS);
	cr_assert_gt(credit_wait_s(&c), 0.0);
	clock_ns += (uint64_t)(credit_wait_s(&c) * (double)SECOND_NS);
	do {
		credit_charge(&c, cost_ns);
		n++;
	} while (credit_wait_s(&c) <= 0 && n < 100);
	cr_assert_geq(n, 4);
	cr_assert_lt(n, 10);
}
