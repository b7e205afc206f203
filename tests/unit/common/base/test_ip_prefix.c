/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/ip_prefix.h"

#include <criterion/criterion.h>

Test(ip_prefix, contains_its_addresses_and_no_others)
{
	static const struct {
		const char *prefix, *address;
		bool inside;
	} cases[] = {
		{ "10.0.0.0/8", "10.255.0.1", true },
		{ "10.0.0.0/8", "11.0.0.1", false },
		{ "10.1.2.3/8", "10.9.9.9", true },
		{ "192.0.2.7", "192.0.2.7", true },
		{ "192.0.2.7", "192.0.2.6", false },
		{ "192.0.2.7/32", "::ffff:192.0.2.7", true },
		{ "::ffff:192.0.2.0/120", "192.0.2.200", true },
		{ "0.0.0.0/0", "203.0.113.9", true },
		{ "0.0.0.0/0", "2001:db8::1", false },
		{ "::/0", "203.0.113.9", true },
		{ "2001:db8::/33", "2001:db8:7fff::1", true },
		{ "2001:db8::/33", "2001:db8:8000::1", false },
		{ "2001:db8::1", "2001:db8::1", true },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct ip_prefix p;
		struct ip_address a;

		cr_assert_eq(ip_prefix_parse(cases[i].prefix, &p), 0);
		cr_assert_eq(ip_parse(cases[i].address, &a), 0);
		cr_expect_eq(ip_prefix_has(&p, &a), cases[i].inside,
			     "%s in %s", cases[i].address, cases[i].prefix);
	}
}

Test(ip_prefix, has_this_host_and_the_prefix_of_one_client)
{
	static const struct {
		const char *address, *client;
		bool loopback;
	} cases[] = {
		{ "127.0.0.1", "127.0.0.1", true },
		{ "127.9.9.9", "127.9.9.9", true },
		{ "128.0.0.1", "128.0.0.1", false },
		{ "::ffff:127.0.0.1", "127.0.0.1", true },
		{ "::1", "::", true },
		{ "::2", "::", false },
		{ "2001:db8:1:2:3::4", "2001:db8:1:2::", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct ip_address a, client, found;
		struct sockaddr_any socket;

		cr_assert_eq(ip_parse(cases[i].address, &a), 0);
		cr_assert_eq(ip_parse(cases[i].client, &client), 0);
		cr_expect_eq(ip_is_loopback(&a), cases[i].loopback, "%s",
			     cases[i].address);
		found = ip_client(&a);
		cr_expect_arr_eq(found.bytes, client.bytes, IP_BYTES);
		cr_expect_eq(ip_hash(&found, 1), ip_hash(&client, 1));
		cr_assert_eq(sockaddr_parse(cases[i].address, 1, &socket), 0);
		found = ip_of(&socket);
		cr_expect_arr_eq(found.bytes, a.bytes, IP_BYTES);
	}
}

Test(ip_prefix, rejects_an_invalid_prefix)
{
	static const char *const wrong[] = {
		"", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1",
		"10.0.0.0/8/8", "10.0.0.0/ 8", "10.0.0/8", "2001:db8::/129",
		"[::1]", "localhost", "10.0.0.0/0008", "10.0.0.1 ",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		"aaaaaaaaaaa/8",
	};

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct ip_prefix p;

		cr_expect_lt(ip_prefix_parse(wrong[i], &p), 0, "%s", wrong[i]);
	}
}

Test(ip_prefix, formats_a_mapped_address_as_ipv4)
{
	static const char *const cases[][2] = {
		{ "::ffff:192.0.2.1", "192.0.2.1" },
		{ "192.0.2.1", "192.0.2.1" },
		{ "2001:DB8:0::1", "2001:db8::1" },
		{ "::1", "::1" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[IP_TEXT_MAX];
		struct ip_address a;

		cr_assert_eq(ip_parse(cases[i][0], &a), 0);
		ip_format(&a, text);
		cr_expect_str_eq(text, cases[i][1]);
	}
}

Test(ip_prefix, tells_public_addresses_from_others)
{
	static const char *const public[] = {
		"1.1.1.1", "9.255.255.255", "172.15.0.1", "172.32.0.1",
		"192.169.0.1", "223.255.255.255", "2606:4700::1111",
		"2a00::1", "64:ff9b::101:101", "::ffff:8.8.8.8",
	};
	static const char *const others[] = {
		"0.0.0.0", "127.0.0.1", "127.255.255.255", "10.1.2.3",
		"100.64.0.1", "169.254.169.254", "172.16.0.1",
		"172.31.255.255", "192.168.0.1", "198.18.0.1", "224.0.0.1",
		"239.1.1.1", "255.255.255.255", "::", "::1", "fe80::1",
		"fc00::1", "fd12::1", "ff02::1", "2001:db8::1", "2002:7f00:1::",
		"2001::1", "64:ff9b::7f00:1", "64:ff9b::a00:1",
		"::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1",
	};
	struct ip_address a;

	for (size_t i = 0; i < ARRAY_LEN(public); i++) {
		cr_assert_eq(ip_parse(public[i], &a), 0);
		cr_expect(ip_is_public(&a), "%s", public[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		cr_assert_eq(ip_parse(others[i], &a), 0);
		cr_expect_not(ip_is_public(&a), "%s", others[i]);
	}
}
