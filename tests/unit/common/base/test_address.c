/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/address.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

Test(address, splits_type_target_and_options)
{
	struct address a;
	struct errmsg why;

	cr_assert_eq(address_parse("HTTP://u:p@host/x?y=1&z#ua=A B&sync&"
				   "map.audio=102&map.audio=103&k=", &a, &why),
		     0);
	cr_assert_str_eq(a.type, "http");
	cr_assert_str_eq(a.target, "u:p@host/x?y=1&z");
	cr_assert_eq(a.n_options, 5u);
	cr_assert_str_eq(a.options[0].key, "ua");
	cr_assert_str_eq(a.options[0].value, "A B");
	cr_assert_str_eq(a.options[1].key, "sync");
	cr_assert_null(a.options[1].value);
	cr_assert_str_eq(a.options[2].value, "102");
	cr_assert_str_eq(a.options[3].key, "map.audio");
	cr_assert_str_eq(a.options[3].value, "103");
	cr_assert_str_eq(a.options[4].value, "");
	cr_assert_str_eq(address_option(&a, "sync"), "");
	cr_assert_str_eq(address_option(&a, "map.audio"), "103");
	cr_assert_null(address_option(&a, "map"));
	address_done(&a);
	cr_assert_null(a.text);
}

Test(address, keeps_everything_behind_the_first_hash_as_options)
{
	struct address a;

	cr_assert_eq(address_parse("udp://h#a=b#c&d=e=f", &a, NULL), 0);
	cr_assert_str_eq(a.target, "h");
	cr_assert_str_eq(address_option(&a, "a"), "b#c");
	cr_assert_str_eq(address_option(&a, "d"), "e=f");
	address_done(&a);
}

Test(address, reads_a_bare_hash_as_no_options)
{
	struct address a;

	cr_assert_eq(address_parse("udp://h#", &a, NULL), 0);
	cr_assert_eq(a.n_options, 0u);
	address_done(&a);
}

Test(address, refuses_with_the_reason)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "", "is empty" },
		{ "239.1.1.1:1234", "\"239.1.1.1:1234\" is not type://target" },
		{ "://x", "\"://x\" is not type://target" },
		{ "udp:/x", "\"udp:/x\" is not type://target" },
		{ "u p://x", "\"u p://x\" is not type://target" },
		{ "udp://", "nothing follows udp://" },
		{ "udp://#a", "nothing follows udp://" },
		{ "udp://h\n", "has a control byte at 7" },
		{ "udp://h\x7f", "has a control byte at 7" },
		{ "udp://h#=1", "option 1 has no name" },
		{ "udp://h#a&&b", "option 2 has no name" },
		{ "udp://h#a&", "option 2 has no name" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct address a = { .n_options = 77 };
		struct errmsg why = { 0 };

		cr_assert_eq(address_parse(cases[i].text, &a, &why), -EINVAL,
			     "%s", cases[i].text);
		cr_assert_str_eq(why.text, cases[i].why);
		cr_assert_eq(a.n_options, 77u, "written to on failure");
	}
}

Test(address, has_limits)
{
	char text[ADDRESS_TEXT_MAX + 2];
	struct address a;
	struct errmsg why;
	size_t at;

	memset(text, 'x', sizeof text);
	memcpy(text, "udp://", 6);
	text[ADDRESS_TEXT_MAX] = '\0';
	cr_assert_eq(address_parse(text, &a, &why), 0);
	address_done(&a);
	text[ADDRESS_TEXT_MAX] = 'x';
	text[ADDRESS_TEXT_MAX + 1] = '\0';
	cr_assert_eq(address_parse(text, &a, &why), -EINVAL);
	cr_assert_str_eq(why.text, "is longer than 1024 bytes");

	at = (size_t)sprintf(text, "udp://h#a");
	for (int i = 1; i < ADDRESS_OPTIONS_MAX; i++)
		at += (size_t)sprintf(text + at, "&a");
	cr_assert_eq(address_parse(text, &a, &why), 0);
	cr_assert_eq(a.n_options, (size_t)ADDRESS_OPTIONS_MAX);
	address_done(&a);
	(void)sprintf(text + at, "&a");
	cr_assert_eq(address_parse(text, &a, &why), -EINVAL);
	cr_assert_str_eq(why.text, "has more than 64 options");
}

Test(address, reads_endpoints)
{
	static const struct {
		const char *text, *iface, *host;
		uint16_t port;
	} cases[] = {
		{ "239.1.1.1", "", "239.1.1.1", 1234 },
		{ "239.1.1.1:5000", "", "239.1.1.1", 5000 },
		{ "eth0@239.1.1.1:1", "eth0", "239.1.1.1", 1 },
		{ "vlan.100@239.1.1.1", "vlan.100", "239.1.1.1", 1234 },
		{ "@239.1.1.1:65535", "", "239.1.1.1", 65535 },
		{ ":1234", "", "", 1234 },
		{ "lo@:9", "lo", "", 9 },
		{ "", "", "", 1234 },
		{ "[ff0e::1]", "", "ff0e::1", 1234 },
		{ "[ff0e::1]:77", "", "ff0e::1", 77 },
		{ "eth0@[::1]:77", "eth0", "::1", 77 },
		{ "abcdefghijklmno@10.0.0.1", "abcdefghijklmno", "10.0.0.1",
		  1234 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct address_endpoint e;
		struct errmsg why = { 0 };

		cr_assert_eq(address_endpoint(cases[i].text, 1234, &e, &why),
			     0, "%s: %s", cases[i].text, why.text);
		cr_assert_str_eq(e.iface, cases[i].iface);
		cr_assert_str_eq(e.host, cases[i].host);
		cr_assert_eq(e.port, cases[i].port);
	}
}

Test(address, refuses_endpoints_with_the_field)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "1.2.3.4:70000", "port: 70000 is not a port (1 to 65535)" },
		{ "1.2.3.4:0", "port: 0 is not a port (1 to 65535)" },
		{ "1.2.3.4:", "port: nothing follows ':'" },
		{ "1.2.3.4:12x", "port: 12x is not a port (1 to 65535)" },
		{ "1.2.3.4:-1", "port: -1 is not a port (1 to 65535)" },
		{ "1.2.3.4: 1", "port:  1 is not a port (1 to 65535)" },
		{ "1.2.3.4:99999999999999999999999",
		  "port: 99999999999999999999999 is not a port (1 to 65535)" },
		{ "1.2.3:1", "host: \"1.2.3\" is not an IP address" },
		{ "example.org", "host: \"example.org\" is not an IP address" },
		{ "1.2.3.4/x", "host: \"1.2.3.4/x\" is not an IP address" },
		{ "::1", "host: \"::1\": an IPv6 address needs brackets" },
		{ "ff0e::1:1234", "host: \"ff0e::1:1234\": an IPv6 address "
				  "needs brackets" },
		{ "[ff0e::1", "host: ']' is missing" },
		{ "[]:1", "host: \"\" is not an IPv6 address" },
		{ "[1.2.3.4]", "host: \"1.2.3.4\" is not an IPv6 address" },
		{ "[::1]x", "host: \"x\" follows the address" },
		{ "a/b@1.2.3.4", "interface: \"a/b\" is not a name" },
		{ "..@1.2.3.4", "interface: \"..\" is not a name" },
		{ "abcdefghijklmnop@1.2.3.4", "interface: \"abcdefghijklmnop\" "
					      "is longer than 15 bytes" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct address_endpoint e = { .port = 7 };
		struct errmsg why = { 0 };

		cr_assert_eq(address_endpoint(cases[i].text, 1234, &e, &why),
			     -EINVAL, "%s", cases[i].text);
		cr_assert_str_eq(why.text, cases[i].why);
		cr_assert_eq(e.port, 7, "written to on failure");
	}
}

Test(address, reads_numbers_exactly)
{
	uint64_t n = 5;
	struct errmsg why;

	cr_assert_eq(address_number("k", "0", 0, 9, &n, &why), 0);
	cr_assert_eq(n, 0u);
	cr_assert_eq(address_number("k", "18446744073709551615", 0, UINT64_MAX,
				    &n, &why), 0);
	cr_assert_eq(n, UINT64_MAX);
	cr_assert_eq(address_number("k", "18446744073709551616", 0, UINT64_MAX,
				    &n, &why), -EINVAL);
	cr_assert_eq(address_number("k", "10", 0, 9, &n, &why), -EINVAL);
	cr_assert_str_eq(why.text, "k: 10 is not between 0 and 9");
	cr_assert_eq(address_number("k", "", 0, 9, &n, &why), -EINVAL);
	cr_assert_str_eq(why.text, "k: \"\" is not a number");
	cr_assert_eq(address_number("k", "1.5", 0, 9, &n, &why), -EINVAL);
	cr_assert_eq(address_number("k", "+1", 0, 9, &n, &why), -EINVAL);
	cr_assert_eq(n, UINT64_MAX);
}
