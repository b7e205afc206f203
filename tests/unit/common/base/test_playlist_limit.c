/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/playlist_limit.h"

#include <criterion/criterion.h>
#include <stdio.h>

static enum playlist_kind kind = PLAYLIST_STREAMS;

static unsigned passed(struct playlist_limit *l, const char *address,
		       unsigned n, uint64_t now_ms)
{
	struct ip_address a;
	unsigned ret = 0;

	cr_assert_eq(ip_parse(address, &a), 0);
	while (n-- > 0)
		ret += playlist_limit_pass(l, kind, &a, now_ms);
	return ret;
}

Test(playlist_limit, leaves_playlists_for_the_other_clients)
{
	struct playlist_limit l = { 0 };

	cr_expect_eq(passed(&l, "192.0.2.1", 1000, 5000), 10);
	cr_expect_eq(passed(&l, "192.0.2.2", 1, 5400), 1);
	cr_expect_eq(passed(&l, "192.0.2.1", 1, 5999), 0);
	/* all addresses of an IPv6 /64 are one client */
	cr_expect_eq(passed(&l, "2001:db8::1", 9, 5000), 9);
	cr_expect_eq(passed(&l, "2001:db8::2", 9, 5000), 1);
	cr_expect_eq(passed(&l, "192.0.2.1", 20, 6000), 10);
}

Test(playlist_limit, has_a_limit_for_all_clients)
{
	struct playlist_limit l = { 0 };
	unsigned n = 0;
	char address[32];

	for (unsigned i = 0; i < 250; i++) {
		(void)snprintf(address, sizeof address, "192.0.2.%u", i);
		n += passed(&l, address, 1, 7000);
	}
	cr_expect_eq(n, 50);
	cr_expect_eq(passed(&l, "192.0.2.251", 1, 7999), 0);
	cr_expect_eq(passed(&l, "192.0.2.251", 1, 8000), 1);
}

Test(playlist_limit, a_group_has_a_limit_of_its_own)
{
	struct playlist_limit l = { 0 };

	cr_expect_eq(passed(&l, "192.0.2.1", 1000, 5000), 10);
	kind = PLAYLIST_MASTER;
	/* the players behind one address */
	cr_expect_eq(passed(&l, "192.0.2.1", 1000, 5000), 200);
	cr_expect_eq(passed(&l, "192.0.2.2", 100, 5000), 100);
	cr_expect_eq(passed(&l, "192.0.2.3", 1000, 5000), 100);
	cr_expect_eq(passed(&l, "192.0.2.1", 1, 6000), 1);
	kind = PLAYLIST_STREAMS;
	cr_expect_eq(passed(&l, "192.0.2.1", 1000, 6000), 10);
}
