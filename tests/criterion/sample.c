/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests that end in every way: results.sh judges what is said about them. */
#include "tests/criterion/criterion.h"

#include <signal.h>
#include <unistd.h>

static int opened;

static void open_it(void)
{
	opened++;
}

TestSuite(sample, .init = open_it);

Test(sample, passes)
{
	cr_assert_eq(opened++, 1);
}

Test(sample, has_a_process_of_its_own)
{
	cr_assert_eq(opened++, 1, "not %d", opened);
}

Test(sample, fails_twice)
{
	cr_expect_str_eq("a", "b", "first %s", "one");
	cr_assert_fail("second");
}

Test(sample, crashes)
{
	(void)raise(SIGSEGV);
}

Test(sample, leaves)
{
	_exit(0);
}

Test(sample, hangs, .timeout = 1)
{
	for (;;)
		(void)pause();
}

Test(sample, is_skipped)
{
	cr_skip_test("no %s", "reason");
}

Test(sample, ends_by_its_signal, .signal = SIGTERM)
{
	(void)raise(SIGTERM);
}

Test(sample, ends_with_its_status, .exit_code = 3)
{
	_exit(3);
}

Test(sample, returns_in_place_of_its_signal, .signal = SIGTERM)
{
}
