/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/utf8.h"

#include "common/base/util.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *const sound[] = {
	"", "plain", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
	"\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80",
	"\xf4\x8f\xbf\xbf", "a\xd0\x9d\x62",
};

static const char *const broken[] = {
	"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x61",
	"\xe0\x80\x80", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf",
	"\xe1\x80", "\xe1\x80\x61", "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf",
	"\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf1\x80\x80", "\xfe",
	"\xff", "\xf1\x80\x80\xc0",
};

Test(utf8, accepts_every_length_and_its_borders)
{
	for (size_t i = 0; i < ARRAY_LEN(sound); i++)
		cr_assert(utf8_is_valid(sound[i], strlen(sound[i])), "%zu", i);
	cr_assert(utf8_is_valid("a\0b", 3));
}

Test(utf8, refuses_overlong_surrogates_and_cut_text)
{
	for (size_t i = 0; i < ARRAY_LEN(broken); i++)
		cr_assert_not(utf8_is_valid(broken[i], strlen(broken[i])),
			      "%zu", i);
}

Test(utf8, repairs_what_a_cut_has_left)
{
	static const char *const cases[][2] = {
		{ "", "" },
		{ "a\u00e4\u20ac\U0001f600", "a\u00e4\u20ac\U0001f600" },
		{ "\"\u0444\xd1\" is", "\"\u0444?\" is" },
		{ "\xe2\x82", "??" },
		{ "\xff\u00e4\x80", "?\u00e4?" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[32];

		(void)strcpy(text, cases[i][0]);
		utf8_repair(text);
		cr_expect_str_eq(text, cases[i][1], "case %zu", i);
	}
}
