/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/querier/querier_table.h"

#include <criterion/criterion.h>

static struct querier_table table;
static const struct group_query query = { 3, 125 };

static void add(unsigned ifindex, const char *from, uint64_t now_ms)
{
	struct sockaddr_any any;

	cr_assert_eq(sockaddr_parse(from, 0, &any), 0);
	querier_table_add(&table, ifindex, &any, &query, now_ms);
}

static const struct querier *find(unsigned ifindex, sa_family_t family)
{
	for (size_t i = 0; i < MSG_QUERIERS_MAX; i++)
		if (table.list[i].ifindex == ifindex &&
		    table.list[i].from.sa.sa_family == family)
			return &table.list[i];
	return NULL;
}

static size_t count(void)
{
	size_t n = 0;

	for (size_t i = 0; i < MSG_QUERIERS_MAX; i++)
		n += table.list[i].ifindex != 0;
	return n;
}

Test(querier_table, has_one_place_for_each_interface_and_ip_version)
{
	struct sockaddr_any second;

	add(2, "192.0.2.1", 1000);
	add(2, "fe80::1", 1000);
	add(3, "192.0.2.1", 1000);
	add(2, "192.0.2.9", 2000);
	cr_assert_eq(count(), 3);
	cr_assert_eq(sockaddr_parse("192.0.2.9", 0, &second), 0);
	cr_assert(sockaddr_equal(&find(2, AF_INET)->from, &second));
	cr_assert_eq(find(2, AF_INET)->at_ms, 2000);
	cr_assert_eq(find(3, AF_INET)->at_ms, 1000);
	cr_assert_eq(find(2, AF_INET6)->at_ms, 1000);
}

Test(querier_table, a_full_table_replaces_the_oldest_querier)
{
	for (unsigned i = 1; i <= MSG_QUERIERS_MAX; i++)
		add(i, "192.0.2.1", 1000 + i);
	add(1, "192.0.2.1", 5000);
	add(1000, "192.0.2.1", 6000);
	cr_assert_eq(count(), MSG_QUERIERS_MAX);
	cr_assert_null(find(2, AF_INET));
	cr_assert_not_null(find(1, AF_INET));
	cr_assert_not_null(find(1000, AF_INET));
}

Test(querier_table, removes_a_querier_that_has_been_silent_for_long)
{
	add(2, "192.0.2.1", 1000);
	add(3, "192.0.2.1", 1500);
	querier_table_expire(&table, 500, 1500);
	cr_assert_eq(count(), 2);
	querier_table_expire(&table, 500, 1501);
	cr_assert_eq(count(), 1);
	cr_assert_not_null(find(3, AF_INET));
}
