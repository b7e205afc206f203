/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/findings.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void note(enum check_severity severity, const char *path,
		 const char *text, void *arg)
{
	char *all = arg;
	size_t len = strlen(all);

	(void)snprintf(all + len, 1024 - len, "%s%s: %s\n",
		       severity == CHECK_WARNING ? "warning " : "", path,
		       text);
}

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
	char said[1024] = "";

	add_shared(&f, 66);
	findings_add(CHECK_WARNING, "x", "another", &f);
	findings_add(CHECK_FAULT, "b", "is missing", &f);
	findings_add(CHECK_FAULT, "a", "is missing", &f);
	findings_report(&f, note, said);
	cr_assert_str_eq(said, "b: is missing\n"
			       "a: is missing\n"
			       "warning s[1]: shared with s[0]\n"
			       "warning s[2]: shared with s[1]\n"
			       "warning s[3]: shared with s[2]; and 63 more "
			       "like these\n"
			       "warning x: another\n");
	findings_done(&f);
}

Test(findings, a_few_are_reported_one_by_one)
{
	struct findings f = { 0 };
	char said[1024] = "";

	add_shared(&f, FINDINGS_ALIKE_MAX);
	findings_report(&f, note, said);
	cr_assert_null(strstr(said, "more"), "%s", said);
	findings_done(&f);
}

Test(findings, other_keys_are_not_alike)
{
	static const char *const keys[] = { "a[3].token", "a[4].token",
		"a[5].token", "a[6].token", "a[6].ip", "b.c.ip" };
	struct findings f = { 0 };
	char said[1024] = "";

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		findings_add(CHECK_WARNING, keys[i], "does nothing", &f);
	findings_report(&f, note, said);
	cr_assert_str_eq(said, "warning a[3].token: does nothing\n"
			       "warning a[4].token: does nothing\n"
			       "warning a[5].token: does nothing; and 1 more "
			       "like these\n"
			       "warning a[6].ip: does nothing\n"
			       "warning b.c.ip: does nothing\n");
	findings_done(&f);
}
