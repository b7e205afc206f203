/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/wire/http_target.h"

#include <criterion/criterion.h>
#include <string.h>

static const char query[] =
	"a=1&b=x+y%20z&c&d=&%65=%d0%9d&bad=%4&nul=%00&f=g=h&a=2&%zz=1&last=9";

static const struct {
	const char *key;
	const char *value; /* NULL: false */
} values[] = {
	{ "a", "1" },      { "b", "x y z" }, { "c", "" },     { "d", "" },
	{ "e", "\xd0\x9d" }, { "bad", NULL },  { "nul", NULL }, { "f", "g=h" },
	{ "last", "9" },   { "g", NULL },    { "", NULL },    { "zz", NULL },
	{ "A", NULL },     { "las", NULL },  { "lastx", NULL },
};

Test(http_target, finds_query_values)
{
	char text[16];

	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		bool found;

		strcpy(text, "unset");
		found = http_query_get(query, values[i].key, text, sizeof text);
		cr_assert_eq(found, values[i].value != NULL, "%s",
			     values[i].key);
		cr_assert_str_eq(text, found ? values[i].value : "unset");
	}
}

Test(http_target, finds_nothing_in_an_empty_query)
{
	char text[4];

	cr_assert_not(http_query_get("", "a", text, sizeof text));
	cr_assert_not(http_query_get("&&", "a", text, sizeof text));
}

Test(http_target, does_not_cut_a_long_value)
{
	char text[4];

	cr_assert(http_query_get("a=123", "a", text, sizeof text));
	cr_assert_not(http_query_get("a=1234", "a", text, sizeof text));
	cr_assert_str_eq(text, "123");
}

#define DIGITS \
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

Test(http_target, addresses_get_no_parameters_of_the_playlist)
{
	static const struct {
		const char *query, *stripped;
		bool preview;
	} cases[] = {
		{ "", "", false },
		{ "token=1", "token=1", false },
		{ "_HLS_msn=5", "", false },
		{ "_HLS_msn=5&token=1&_HLS_part=2&x=_HLS_", "token=1&x=_HLS_",
		  false },
		{ "&&a&&b&", "a&b", false },
		{ "token=preview-" DIGITS "&a", "a", true },
		{ "a&token=preview-" DIGITS, "a", true },
		/* those of users */
		{ "token=preview-0123&a", "token=preview-0123&a", false },
		{ "token=preview-" DIGITS "0", "token=preview-" DIGITS "0",
		  false },
		{ "token=preview", "token=preview", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[128];

		http_query_strip_hls(cases[i].query, text);
		cr_assert_str_eq(text, cases[i].stripped);
		cr_assert_eq(http_query_has_preview(cases[i].query),
			     cases[i].preview, "%s", cases[i].query);
	}
}
