/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/scheme_location.h"

#include "common/base/util.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(scheme_location, is_the_same_address_by_the_other_scheme)
{
	static const struct {
		bool tls;
		const char *host, *path, *query, *wanted;
	} cases[] = {
		{ true, "tv.example:8100", "/news", "",
		  "https://tv.example:8100/news" },
		{ false, "[2001:db8::1]", "/a b/\xc3\xa9.m3u8", "token=%20x",
		  "http://[2001:db8::1]/a%20b/%C3%A9.m3u8?token=%20x" },
		{ true, "10.0.0.1", "/a?b#c%", "",
		  "https://10.0.0.1/a%3Fb%23c%25" },
		{ true, NULL, "/news", "", NULL },
		{ true, "", "/news", "", NULL },
		{ true, "a/b", "/news", "", NULL },
		{ true, "user@a", "/news", "", NULL },
		{ true, "a\r\nX: y", "/news", "", NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *got = scheme_location(cases[i].tls, cases[i].host,
					    cases[i].path, cases[i].query);

		if (cases[i].wanted == NULL)
			cr_expect_null(got, "%zu", i);
		else
			cr_expect_str_eq(got, cases[i].wanted);
		free(got);
	}
}
