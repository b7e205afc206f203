/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/iface.h"

#include <criterion/criterion.h>
#include <errno.h>

Test(iface, is_named_by_name_or_by_address)
{
	static const struct {
		const char *text, *name; /* NULL: there is none */
		bool address;
	} cases[] = {
		{ "lo", "lo", false },
		{ "eth0.100", "eth0.100", false },
		{ "127.0.0.1", "lo", true },
		{ "192.0.2.77", NULL, true },
		{ "1.2.3", "1.2.3", false },
		{ "a23456789012345", "a23456789012345", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char name[IFACE_NAME_MAX];
		int r = iface_name(cases[i].text, name);

		cr_expect_eq(iface_is_address(cases[i].text), cases[i].address);
		cr_expect_eq(r, cases[i].name != NULL ? 0 : -ENODEV, "%s",
			     cases[i].text);
		if (cases[i].name != NULL)
			cr_expect_str_eq(name, cases[i].name);
	}
}
