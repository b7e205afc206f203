/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/findings.h"
#include "tests/unit/master/config/finding_lines.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void add_shared(struct findings *f, unsigned n)
{
	for (unsigned i = 1; i <= n; i++) {
		char path[64], text[64];

		(void)snprintf(path, sizeof path, "s[%u]", i);
		(void)snprintf(text, sizeof text, "shared with s[%u]", i - 1);
		findings_add(CHECK_WARNING, path, text, f);
	}
}

Test(findings, errors_come_first_and_similar_ones_are_summarised)
{
	struct findings f = { 0 };
	char said[FINDING_LINES] = "";

	add_shared(&f, 66);
	findings_add(CHECK_WARNING, "x", "another", &f);
	findings_add(CHECK_FAULT, "b", "is missing", &f);
	findings_add(CHECK_FAULT, "a", "is missing", &f);
	findings_report(&f, finding_lines_add, said);
	cr_assert_str_eq(said, "E b: is missing\n"
			       "E a: is missing\n"
			       "s[1]: shared with s[0]\n"
			       "s[2]: shared with s[1]\n"
			       "s[3]: shared with s[2]; and 63 more "
			       "like these\n"
			       "x: another\n");
	findings_done(&f);
}

Test(findings, a_few_are_reported_one_by_one)
{
	struct findings f = { 0 };
	char said[FINDING_LINES] = "";

	add_shared(&f, FINDINGS_ALIKE_MAX);
	findings_report(&f, finding_lines_add, said);
	cr_assert_null(strstr(said, "more"), "%s", said);
	findings_done(&f);
}

Test(findings, other_keys_are_not_alike)
{
	static const char *const keys[] = { "a[3].token", "a[4].token",
		"a[5].token", "a[6].token", "a[6].ip", "b.c.ip" };
	struct findings f = { 0 };
	char said[FINDING_LINES] = "";

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		findings_add(CHECK_WARNING, keys[i], "does nothing", &f);
	findings_report(&f, finding_lines_add, said);
	cr_assert_str_eq(said, "a[3].token: does nothing\n"
			       "a[4].token: does nothing\n"
			       "a[5].token: does nothing; and 1 more "
			       "like these\n"
			       "a[6].ip: does nothing\n"
			       "b.c.ip: does nothing\n");
	findings_done(&f);
}
