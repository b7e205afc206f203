/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/librist/rist_watchdog.h"

#include <criterion/criterion.h>

Test(rist_pulse, who_sleeps_or_reads_is_well)
{
	struct rist_pulse p = { 0 };
	struct rist_sign s = { .sleeps = 1 };

	for (unsigned i = 0; i < 100; i++) {
		s.sleeps++;
		s.ran_ms += 900;
		cr_assert_null(rist_pulse_look(&p, &s));
	}
	s.ready = s.reads = true;
	for (unsigned i = 0; i < 100; i++) {
		s.ran_ms += 1000;
		cr_assert_null(rist_pulse_look(&p, &s), "it has much to read");
	}
}

Test(rist_pulse, who_is_not_let_run_is_well)
{
	struct rist_pulse p = { 0 };
	const struct rist_sign s = { .sleeps = 7, .ran_ms = 90000,
				     .ready = true };

	for (unsigned i = 0; i < 100; i++)
		cr_assert_null(rist_pulse_look(&p, &s));
}

Test(rist_pulse, a_loop_is_told_by_its_share_of_the_processor)
{
	struct rist_pulse p = { 0 };
	struct rist_sign s = { .sleeps = 7, .ran_ms = 90000, .ready = true };

	for (unsigned ran = 0; ran < RIST_PULSE_LOOP_MS; ran += 100) {
		cr_assert_null(rist_pulse_look(&p, &s), "%u", ran);
		s.ran_ms += 100;
	}
	cr_assert_str_eq(rist_pulse_look(&p, &s),
			 "a thread of librist runs in a loop");
}

Test(rist_pulse, a_wait_is_told_when_it_goes_on)
{
	struct rist_pulse p = { 0 };
	struct rist_sign s = { .sleeps = 7, .ran_ms = 90000 };

	for (unsigned i = 0; i < RIST_PULSE_LOOKS; i++)
		cr_assert_null(rist_pulse_look(&p, &s));
	s.sleeps++;
	for (unsigned i = 0; i < RIST_PULSE_LOOKS; i++)
		cr_assert_null(rist_pulse_look(&p, &s), "it woke up");
	cr_assert_str_eq(rist_pulse_look(&p, &s),
			 "a thread of librist stands still");
}
