/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/origin.h"

#include <criterion/criterion.h>

Test(origin, is_valid_as_browsers_write_it)
{
	static const char *const good[] = {
		"http://h", "https://h.example", "http://h:8000",
		"https://192.0.2.1:8443", "http://[2001:db8::1]:8000",
		"http://h:443", "https://h:80",
	};
	static const char *const bad[] = {
		"", "*", "null", "h", "http://", "https://h/", "http://h:80",
		"https://h:443", "http://H", "http://h:", "http://h:080",
		"http://h:123456", "http://u@h", "http://h:1/x", "ftp://h",
		"http://[::1", "http://*.h", "http://h h", "file://",
	};

	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		cr_expect(origin_is_valid(good[i]), "%s", good[i]);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		cr_expect_not(origin_is_valid(bad[i]), "%s", bad[i]);
}

Test(origin, pages_of_others_are_foreign)
{
	static const struct {
		const char *site, *origin, *host;
		bool foreign;
	} cases[] = {
		{ NULL, NULL, "h:8000", false }, /* curl */
		{ "same-origin", "http://h:8000", "h:8000", false },
		{ "none", NULL, "h:8000", false }, /* typed by the user */
		{ "cross-site", "http://evil.example", "h:8000", true },
		{ "same-site", "http://h:9000", "h:8000", true },
		{ "", NULL, "h:8000", true },
		/* a proxy may use another name: the browser sends ours */
		{ "same-origin", "https://sluice.example", "10.0.0.1", false },
		{ "cross-site", "http://h:8000", "h:8000", true },
		/* browsers without Sec-Fetch-Site */
		{ NULL, "http://h:8000", "h:8000", false },
		{ NULL, "HTTP://H:8000", "h:8000", false },
		{ NULL, "https://h:8000", "h:8000", false },
		{ NULL, "http://h", "h:80", false },
		{ NULL, "http://h:80", "h", false },
		{ NULL, "https://h", "h:443", false },
		{ NULL, "https://h", "h", false },
		{ NULL, "http://[::1]:8000", "[::1]:8000", false },
		{ NULL, "http://h", "h:8000", true },
		{ NULL, "http://h", "h:443", true },
		{ NULL, "http://h.evil.example:8000", "h:8000", true },
		{ NULL, "http://evil.example", "h:8000", true },
		{ NULL, "null", "h:8000", true },
		{ NULL, "", "h:8000", true },
		{ NULL, "http://", "h:8000", true },
		{ NULL, "http://", "", true },
		{ NULL, "file://", "h:8000", true },
		{ NULL, "http://h:8000", NULL, true },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct origin o = { cases[i].site, cases[i].origin,
				    cases[i].host };

		cr_expect_eq(origin_is_foreign(&o), cases[i].foreign, "%zu",
			     i);
	}
}
