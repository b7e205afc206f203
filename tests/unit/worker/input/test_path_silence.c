/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/path_silence.h"

#include <criterion/criterion.h>

Test(silence, is_counted_while_others_bring_something)
{
	unsigned s = 0;

	for (int i = 0; i < SILENCE_PATIENCE_S; i++)
		s = silence_second(s, false, true);
	cr_assert_eq(s, SILENCE_PATIENCE_S);
	s = silence_second(s, true, true);
	cr_assert_eq(s, 0);
	s = silence_second(s, false, false);
	cr_assert_eq(s, 0, "nobody brings anything");
}

/* A pause of the source does not bring a path back that is dead for hours. */
Test(silence, outlasts_a_pause_of_all)
{
	unsigned s = SILENCE_PATIENCE_S;

	s = silence_second(s, false, false);
	cr_assert_not(silence_matters(s, false), "that is why nothing comes");
	s = silence_second(s, false, true);
	cr_assert(silence_matters(s, true));
	cr_assert_not(silence_matters(SILENCE_PATIENCE_S - 1, true));
}
