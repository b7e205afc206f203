/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/querier/querier_table.h"

#include <criterion/criterion.h>

static struct heard heard;
static const struct group_query query = { 3, 125 };

static void note(unsigned ifindex, const char *from, uint64_t now_ms)
{
	struct sockaddr_any any;

	cr_assert_eq(sockaddr_parse(from, 0, &any), 0);
	heard_note(&heard, ifindex, &any, &query, now_ms);
}

static const struct heard_querier *find(unsigned ifindex, sa_family_t family)
{
	for (size_t i = 0; i < MSG_QUERIERS_MAX; i++)
		if (heard.list[i].ifindex == ifindex &&
		    heard.list[i].from.sa.sa_family == family)
			return &heard.list[i];
	return NULL;
}

static size_t count(void)
{
	size_t n = 0;

	for (size_t i = 0; i < MSG_QUERIERS_MAX; i++)
		n += heard.list[i].ifindex != 0;
	return n;
}

Test(heard, one_place_for_each_interface_and_family)
{
	struct sockaddr_any second;

	note(2, "192.0.2.1", 1000);
	note(2, "fe80::1", 1000);
	note(3, "192.0.2.1", 1000);
	note(2, "192.0.2.9", 2000);
	cr_assert_eq(count(), 3);
	cr_assert_eq(sockaddr_parse("192.0.2.9", 0, &second), 0);
	cr_assert(sockaddr_equal(&find(2, AF_INET)->from, &second));
	cr_assert_eq(find(2, AF_INET)->at_ms, 2000);
	cr_assert_eq(find(3, AF_INET)->at_ms, 1000);
	cr_assert_eq(find(2, AF_INET6)->at_ms, 1000);
}

Test(heard, a_full_table_forgets_who_was_heard_longest_ago)
{
	for (unsigned i = 1; i <= MSG_QUERIERS_MAX; i++)
		note(i, "192.0.2.1", 1000 + i);
	note(1, "192.0.2.1", 5000);
	note(1000, "192.0.2.1", 6000);
	cr_assert_eq(count(), MSG_QUERIERS_MAX);
	cr_assert_null(find(2, AF_INET));
	cr_assert_not_null(find(1, AF_INET));
	cr_assert_not_null(find(1000, AF_INET));
}

Test(heard, who_is_silent_for_long_is_forgotten)
{
	note(2, "192.0.2.1", 1000);
	note(3, "192.0.2.1", 1500);
	heard_forget(&heard, 500, 1500);
	cr_assert_eq(count(), 2);
	heard_forget(&heard, 500, 1501);
	cr_assert_eq(count(), 1);
	cr_assert_not_null(find(3, AF_INET));
}
