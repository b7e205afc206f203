/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/failover/damper.h"

#include <criterion/criterion.h>

#define SECOND UINT64_C(1000000000)
#define START (77 * SECOND)
#define HALF (60 * SECOND)

Test(damper, forgets_half_in_each_half_life)
{
	struct damper d;

	damper_init(&d, HALF, START);
	damper_failed(&d, START);
	cr_assert_eq(damper_penalty(&d, START), 1000);
	cr_assert_eq(damper_penalty(&d, START + HALF / 2), 750);
	cr_assert_eq(damper_penalty(&d, START + HALF), 500);
	cr_assert_eq(damper_penalty(&d, START + 2 * HALF), 250);
	cr_assert_eq(damper_penalty(&d, START + 100 * HALF), 0);
}

Test(damper, never_rises_without_a_failure)
{
	struct damper d;
	unsigned before = DAMPER_CEILING;

	damper_init(&d, HALF, START);
	for (unsigned i = 0; i < 5; i++)
		damper_failed(&d, START);
	for (uint64_t s = 0; s < 600; s++) {
		unsigned now = damper_penalty(&d, START + s * SECOND);

		cr_assert_leq(now, before);
		before = now;
	}
}

Test(damper, damps_the_third_failure_in_a_row)
{
	struct damper d;

	damper_init(&d, HALF, START);
	damper_failed(&d, START);
	damper_failed(&d, START + SECOND);
	cr_assert_not(damper_is_damped(&d, START + SECOND));
	damper_failed(&d, START + 2 * SECOND);
	cr_assert(damper_is_damped(&d, START + 2 * SECOND));
}

Test(damper, ends_damping_at_the_reported_time)
{
	struct damper d;
	uint64_t at;

	damper_init(&d, HALF, START);
	cr_assert_eq(damper_reuse_ns(&d, START), UINT64_MAX);
	for (unsigned i = 0; i < 3; i++)
		damper_failed(&d, START);
	at = damper_reuse_ns(&d, START);
	cr_assert(damper_is_damped(&d, at - SECOND));
	cr_assert_not(damper_is_damped(&d, at));
	cr_assert_eq(damper_reuse_ns(&d, at), UINT64_MAX);
}

Test(damper, damps_for_two_half_lives_at_most)
{
	struct damper d;

	damper_init(&d, HALF, START);
	for (unsigned i = 0; i < 100; i++)
		damper_failed(&d, START);
	cr_assert_eq(damper_penalty(&d, START), DAMPER_CEILING);
	cr_assert_not(damper_is_damped(&d, START + 2 * HALF));
}

Test(damper, never_damps_without_a_half_life)
{
	struct damper d;

	damper_init(&d, 0, START);
	for (unsigned i = 0; i < 100; i++)
		damper_failed(&d, START);
	cr_assert_eq(damper_penalty(&d, START), 0);
	cr_assert_not(damper_is_damped(&d, START));
}
