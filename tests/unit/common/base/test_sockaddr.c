/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/sockaddr.h"
#include "common/base/util.h"

#include <criterion/criterion.h>

Test(sockaddr, moves_the_port_and_keeps_the_address)
{
	static const struct {
		const char *host;
		uint16_t port;
		unsigned by;
		const char *moved;
	} list[] = {
		{ "239.1.1.1", 5000, 2, "239.1.1.1:5002" },
		{ "239.1.1.1", 65535, 1, "239.1.1.1:0" },
		{ "ff0e::1", 5000, 4, "[ff0e::1]:5004" },
		{ "ff0e::1", 65534, 4, "[ff0e::1]:2" },
	};

	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		char text[SOCKADDR_TEXT_MAX];
		struct sockaddr_any a;

		cr_assert_eq(sockaddr_parse(list[i].host, list[i].port, &a), 0);
		cr_expect_eq(sockaddr_port(&a), list[i].port);
		sockaddr_move_port(&a, list[i].by);
		sockaddr_format(&a, text);
		cr_expect_str_eq(text, list[i].moved);
		sockaddr_set_port(&a, 1234);
		cr_expect_eq(sockaddr_port(&a), 1234);
	}
}

Test(sockaddr, compares_hosts_without_their_ports)
{
	static const struct {
		const char *a, *b;
		bool same;
	} cases[] = {
		{ "192.0.2.1", "192.0.2.1", true },
		{ "192.0.2.1", "192.0.2.2", false },
		{ "2001:db8::1", "2001:db8::1", true },
		{ "2001:db8::1", "2001:db8::2", false },
		{ "0.0.0.0", "::", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sockaddr_any a, b;

		cr_assert_eq(sockaddr_parse(cases[i].a, 1, &a), 0);
		cr_assert_eq(sockaddr_parse(cases[i].b, 2, &b), 0);
		cr_assert_eq(sockaddr_is_same_host(&a, &b), cases[i].same,
			     "%zu", i);
	}
}
