/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/iface.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <sys/resource.h>

Test(iface, is_named_by_name_or_by_address)
{
	static const struct {
		const char *text, *name; /* NULL: there is none */
	} cases[] = {
		{ "lo", "lo" },
		{ "eth0.100", "eth0.100" },
		{ "127.0.0.1", "lo" },
		{ "192.0.2.77", NULL },
		{ "1.2.3", "1.2.3" },
		{ "a23456789012345", "a23456789012345" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char name[IFACE_NAME_MAX];
		int r = iface_name(cases[i].text, name);

		cr_expect_eq(r, cases[i].name != NULL ? 0 : -ENODEV, "%s",
			     cases[i].text);
		if (cases[i].name != NULL)
			cr_expect_str_eq(name, cases[i].name);
	}
}

Test(iface, a_failed_query_differs_from_a_missing_interface)
{
	struct rlimit before, none;
	char name[IFACE_NAME_MAX];
	int r;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){ .rlim_max = before.rlim_max };
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	r = iface_name("127.0.0.1", name);
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	cr_expect_eq(r, -EMFILE);
}
