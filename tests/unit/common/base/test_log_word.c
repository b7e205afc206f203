/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/log_word.h"

#include "common/base/util.h"

#include <criterion/criterion.h>
#include <string.h>

Test(log_word, codes_what_could_be_another_field)
{
	static const char *const cases[][2] = {
		{ "", "" },
		{ "olga", "olga" },
		{ "Olga.P-1_x@example.org", "Olga.P-1_x@example.org" },
		{ "x IP:192.0.2.99", "x%20IP%3A192.0.2.99" },
		{ "a%20b", "a%2520b" },
		{ "a\nb\t\x7f\x1b[2J", "a%0Ab%09%7F%1B%5B2J" },
		{ "\"'=<>", "%22%27%3D%3C%3E" },
		{ "j\xc3\xbcrgen", "j\xc3\xbcrgen" },
		{ "\xd0\x9e\xd0\xbb\xd1\x8f", "\xd0\x9e\xd0\xbb\xd1\x8f" },
		/* a C1 control, a no-break space, a line separator, a mark of
		 * direction, an ideographic space */
		{ "\xc2\x85", "%C2%85" },
		{ "\xc2\xa0", "%C2%A0" },
		{ "\xe2\x80\xa8", "%E2%80%A8" },
		{ "\xe2\x80\xae", "%E2%80%AE" },
		{ "\xe3\x80\x80", "%E3%80%80" },
		/* no UTF-8 */
		{ "\xff\xc3", "%FF%C3" },
	};
	char text[256];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		log_word(cases[i][0], text, sizeof text);
		cr_expect_str_eq(text, cases[i][1]);
	}
}

Test(log_word, is_cut_at_a_whole_character)
{
	char text[8];

	log_word("abcdefghi", text, sizeof text);
	cr_expect_str_eq(text, "abcdefg");
	log_word("abcde f", text, sizeof text);
	cr_expect_str_eq(text, "abcde");
	log_word("abcdef\xc3\xbc", text, sizeof text);
	cr_expect_str_eq(text, "abcdef");
	log_word("x", text, 1);
	cr_expect_str_eq(text, "");
}
