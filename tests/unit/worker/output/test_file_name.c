/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/file_name.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static const struct tm when = {
	.tm_year = 126, .tm_mon = 10, .tm_mday = 3, .tm_hour = 4, .tm_min = 5,
	.tm_sec = 6, .tm_yday = 306,
};

Test(file_name, contains_pattern_time_and_copy)
{
	static const struct {
		struct file_name name;
		const char *text;
	} cases[] = {
		{ { "news.ts", false, 0 }, "news.ts" },
		{ { "news", true, 0 }, "news-20261103-040506" },
		{ { "news.a.ts", true, 0 }, "news.a-20261103-040506.ts" },
		{ { "news.ts", true, 12 }, "news-20261103-040506-12.ts" },
		{ { "%F %H.%M.%S.ts", true, 0 }, "2026-11-03 04.05.06.ts" },
		{ { "%Y%m%d%j%y%%.ts", true, 1 }, "2026110330726%-1.ts" },
		{ { ".ts", true, 0 }, ".ts-20261103-040506" },
	};
	char text[256];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		cr_assert_eq(file_name_make(&cases[i].name, &when, text,
					    sizeof text), 0);
		cr_assert_str_eq(text, cases[i].text);
	}
}

Test(file_name, is_rejected_if_it_is_too_long)
{
	struct file_name name = { "news.ts", true, 0 };
	char text[23];

	cr_assert_eq(file_name_make(&name, &when, text, sizeof text),
		     -ENAMETOOLONG);
}
