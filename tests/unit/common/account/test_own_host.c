/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/own_host.h"

#include <criterion/criterion.h>

Test(own_host, only_names_of_this_machine_are_its_own)
{
	static const struct {
		const char *header;
		bool own;
	} cases[] = {
		{ NULL, true },
		{ "localhost", true },
		{ "LOCALHOST:8000", true },
		{ "localhost.:8000", true },
		{ "127.0.0.1:8000", true },
		{ "127.9.9.9", true },
		{ "[::1]:8000", true },
		{ "[::1]", true },
		{ "192.0.2.7:8000", true },
		{ "headend", true },
		{ "Headend:8000", true },
		{ "headend.example.org:8000", true },
		{ "proxy.example.org", true },
		{ "192.0.2.200", true }, /* listed */
		{ "", false },
		{ ":8000", false },
		{ ".", false },
		{ "[::1", false },
		{ "[::1]x", false },
		{ "192.0.2.8:8000", false },
		{ "evil.example:8000", false },
		{ "localhost.evil.example", false },
		{ "evil.localhost.example:8000", false },
		{ "127.0.0.1.evil.example", false },
		{ "headend.evil.example", false },
		{ "headend.example", false },
		{ "xproxy.example.org", false },
		{ "[fe80::1]", false },
	};
	json_t *settings = json_pack("{s:[s,s,i]}", "control_hosts",
				     "Proxy.example.org", "192.0.2.200", 7);
	struct own_host own = {
		.settings = settings,
		.machine = "headend.example.org",
	};

	cr_assert_eq(ip_parse("192.0.2.7", &own.local), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		cr_expect_eq(own_host_is(cases[i].header, &own), cases[i].own,
			     "%s", cases[i].header);
	json_decref(settings);
}

Test(own_host, an_unknown_machine_has_no_names)
{
	const struct own_host own = { .machine = "" };

	cr_expect(own_host_is("localhost", &own));
	cr_expect_not(own_host_is("0.0.0.0", &own));
	cr_expect_not(own_host_is("headend", &own));
	cr_expect_not(own_host_is("", &own));
}
