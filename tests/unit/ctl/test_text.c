/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/text.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <string.h>

static void use_utf8(void)
{
	cr_assert_not_null(setlocale(LC_CTYPE, "C.UTF-8"));
}

TestSuite(text, .init = use_utf8);

static void fits(const char *text, size_t width, int right, const char *want)
{
	struct buf b = { 0 };

	text_fit(&b, text, width, right);
	buf_append(&b, "", 1);
	cr_assert_str_eq((char *)buf_head(&b), want);
	buf_done(&b);
}

Test(text, counts_columns_not_bytes)
{
	cr_assert_eq(text_width("News"), 4);
	cr_assert_eq(text_width("N\u00e9ws"), 4);
	cr_assert_eq(text_width("\u65e5\u672c"), 4);
	cr_assert_eq(text_width("e\u0301"), 1); /* a mark of its own */
	cr_assert_eq(text_width(""), 0);
}

Test(text, pads_on_either_side)
{
	fits("ab", 4, 0, "ab  ");
	fits("ab", 4, 1, "  ab");
	fits("\u65e5", 4, 0, "\u65e5  ");
}

Test(text, cuts_with_a_mark_and_never_through_a_character)
{
	fits("abcdef", 4, 0, "abc\u2026");
	fits("\u65e5\u672c\u8a9e", 4, 0, "\u65e5\u2026 ");
	fits("abcdef", 1, 0, "\u2026");
	fits("abcdef", 0, 0, "");
}

Test(text, removes_control_sequences_of_the_terminal)
{
	fits("a\033[2Jb", 7, 0, "a?[2Jb ");
	fits("a\nb\x7f", 4, 0, "a?b?");
	fits("a\u202eb", 3, 0, "a?b");   /* right to left */
	fits("a\xff\xc3", 3, 0, "a??");  /* no UTF-8 */
	fits("\xc2\x9bm", 2, 0, "?m");     /* CSI in one character */
}

Test(text, prints_rates_and_times_for_people)
{
	static const struct {
		int64_t seconds;
		const char *want;
	} times[] = {
		{ 0, "0 s" }, { 119, "119 s" }, { 120, "2 min" },
		{ 7199, "119 min" }, { 7200, "2 h 0 min" },
		{ 172799, "47 h 59 min" }, { 190000, "2 d 4 h" },
	};
	char got[32];

	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		text_duration(got, times[i].seconds);
		cr_assert_str_eq(got, times[i].want);
	}
	text_rate(got, 999);
	cr_assert_str_eq(got, "999 kbit/s");
	text_rate(got, 12345);
	cr_assert_str_eq(got, "12.3 Mbit/s");
}
