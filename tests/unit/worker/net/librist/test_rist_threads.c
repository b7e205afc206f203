/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/librist/rist_threads.h"

#include <criterion/criterion.h>

Test(rist_watchdog, a_thread_that_sleeps_or_reads_makes_progress)
{
	struct rist_watchdog p = { 0 };
	struct rist_thread_sample s = { .sleeps = 1 };

	for (unsigned i = 0; i < 100; i++) {
		s.sleeps++;
		s.ran_ms += 900;
		cr_assert_null(rist_watchdog_check(&p, &s));
	}
	s.ready = s.reads = true;
	for (unsigned i = 0; i < 100; i++) {
		s.ran_ms += 1000;
		cr_assert_null(rist_watchdog_check(&p, &s),
			       "it has much to read");
	}
}

Test(rist_watchdog, a_thread_without_cpu_time_is_no_error)
{
	struct rist_watchdog p = { 0 };
	const struct rist_thread_sample s = { .sleeps = 7, .ran_ms = 90000,
				     .ready = true };

	for (unsigned i = 0; i < 100; i++)
		cr_assert_null(rist_watchdog_check(&p, &s));
}

Test(rist_watchdog, a_loop_is_detected_by_its_cpu_time)
{
	struct rist_watchdog p = { 0 };
	struct rist_thread_sample s = { .sleeps = 7,
					.ran_ms = 90000,
					.ready = true };

	for (unsigned ran = 0; ran < RIST_WATCHDOG_LOOP_MS; ran += 100) {
		cr_assert_null(rist_watchdog_check(&p, &s), "%u", ran);
		s.ran_ms += 100;
	}
	cr_assert_str_eq(rist_watchdog_check(&p, &s),
			 "a thread of librist runs in a loop");
}

Test(rist_watchdog, a_lasting_wait_is_an_error)
{
	struct rist_watchdog p = { 0 };
	struct rist_thread_sample s = { .sleeps = 7, .ran_ms = 90000 };

	for (unsigned i = 0; i < RIST_WATCHDOG_CHECKS; i++)
		cr_assert_null(rist_watchdog_check(&p, &s));
	s.sleeps++;
	for (unsigned i = 0; i < RIST_WATCHDOG_CHECKS; i++)
		cr_assert_null(rist_watchdog_check(&p, &s), "it woke up");
	cr_assert_str_eq(rist_watchdog_check(&p, &s),
			 "a thread of librist is blocked");
}
