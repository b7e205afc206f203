/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/category_name.h"

#include "common/base/util.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static const char *const valid[] = {
	"a", "News", "TV & Radio", "A-B_C.D+E/F", "0", "1 2  3", "-", "+",
	"Новости", "Ειδήσεις", "أخبار", "新闻频道", "ニュース", "뉴스",
	"Español", "Espan\xcc\x83ol", "हिन्दी", "ไทยรัฐ", "חדשות", "ქართული",
	"٣", "Ünlü İş", "\xf0\x9e\xa4\xa1", /* U+1E921, ADLAM */
};

static const char *const invalid[] = {
	"", " ", " a", "a ", "a\tb", "a\nb", "a,b", "a:b", "a*b", "<b>",
	"\"", "'", "a\\b", "a?b", "#", "a=b", "(a)", "a|b", "a;b", "@", "!",
	"\x7f", "\x01",
	"\xc2\xa0" "a",      /* U+00A0, no-break space */
	"a\xe2\x80\x83" "b",  /* U+2003, em space */
	"a\xe2\x80\x8e" "b",  /* U+200E, left-to-right mark */
	"a\xe2\x80\xae" "b",  /* U+202E, right-to-left override */
	"\xe2\x82\xac",      /* U+20AC, euro sign */
	"\xf0\x9f\x98\x80",  /* U+1F600, a face */
	"\xcc\x81" "a",      /* U+0301 before any letter */
	"\xef\xbf\xbf",      /* U+FFFF */
};

Test(category_name, accepts_letters_of_any_script)
{
	struct category_names *n = category_names_new();

	for (size_t i = 0; i < ARRAY_LEN(valid); i++)
		cr_expect(category_name_is_valid(n, valid[i]), "%s", valid[i]);
	for (size_t i = 0; i < ARRAY_LEN(invalid); i++)
		cr_expect_not(category_name_is_valid(n, invalid[i]), "%s",
			      invalid[i]);
	category_names_free(&n);
	cr_assert_null(n);
}

Test(category_name, counts_characters_not_bytes)
{
	struct category_names *n = category_names_new();
	char text[256] = "";

	for (unsigned i = 0; i < 64; i++)
		(void)strcat(text, "新");
	cr_assert(category_name_is_valid(n, text));
	(void)strcat(text, "a");
	cr_assert_not(category_name_is_valid(n, text));
	memset(text, 'x', 64);
	text[64] = '\0';
	cr_assert(category_name_is_valid(n, text));
	text[64] = 'x';
	text[65] = '\0';
	cr_assert_not(category_name_is_valid(n, text));
	category_names_free(&n);
}

Test(category_name, does_not_ask_the_locale_of_the_process)
{
	struct category_names *n;

	cr_assert_not_null(setlocale(LC_ALL, "C"));
	n = category_names_new();
	cr_assert(category_name_is_valid(n, "Новости"));
	category_names_free(&n);
}
