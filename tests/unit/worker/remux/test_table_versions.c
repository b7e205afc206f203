/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/table_versions.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct table_name pmt = { 0x02, 5 };

Test(table_versions, begins_at_the_given_version)
{
	static struct table_versions tv;

	cr_assert_eq(table_version(&tv, pmt, 1, 7), 7);
	cr_assert_eq(table_version(&tv, pmt, 1, 9), 7, "and stays there");
}

Test(table_versions, changes_only_when_the_content_does)
{
	static struct table_versions tv;
	uint8_t a = table_version(&tv, pmt, 1, 0);
	uint8_t b = table_version(&tv, pmt, 2, 0);

	cr_assert_eq(b, a + 1);
	for (int i = 0; i < 100; i++) {
		cr_assert_eq(table_version(&tv, pmt, 1, 0), a);
		cr_assert_eq(table_version(&tv, pmt, 2, 0), b);
	}
}

Test(table_versions, counts_each_table_separately)
{
	static struct table_versions tv;

	(void)table_version(&tv, pmt, 1, 0);
	cr_assert_eq(table_version(&tv, (struct table_name){ 0x02, 6 }, 1, 4),
		     4);
	cr_assert_eq(table_version(&tv, (struct table_name){ 0x42, 5 }, 1, 5),
		     5);
	cr_assert_eq(table_version(&tv, (struct table_name){ 0, 0 }, 1, 6),
		     6);
}

Test(table_versions, never_repeats_the_version_of_the_content_before)
{
	static struct table_versions tv;
	uint8_t last = table_version(&tv, pmt, 0, 30);

	for (uint64_t i = 1; i < 1000; i++) {
		uint8_t next = table_version(&tv, pmt, i % 50, 30);

		cr_assert_lt(next, TABLE_VERSION_COUNT);
		cr_assert_neq(next, last);
		last = next;
	}
}

Test(table_versions,
     two_alternating_sources_never_share_a_version_while_one_changes)
{
	static struct table_versions tv;

	for (uint64_t i = 0; i < 200; i++) {
		uint8_t main = table_version(&tv, pmt, 1, 0);
		uint8_t other = table_version(&tv, pmt, 100 + i, 0);

		cr_assert_neq(main, other, "%u", (unsigned)i);
		cr_assert_eq(main, 0);
	}
}

Test(table_versions, has_room_for_many_tables_and_survives_more)
{
	static struct table_versions tv;

	for (unsigned i = 0; i < TABLE_VERSIONS_MAX; i++)
		(void)table_version(&tv, (struct table_name){
			0x02, (uint16_t)i }, 1, 3);
	cr_assert_eq(table_version(&tv, (struct table_name){ 0x02, 0 }, 2, 3),
		     4, "it is remembered");
	for (unsigned i = 0; i < 4 * TABLE_VERSIONS_MAX; i++)
		cr_assert_eq(table_version(&tv, (struct table_name){
			0x42, (uint16_t)i }, 1, 3), 3);
}

Test(table_versions, damaged_memory_still_gives_versions)
{
	static struct table_versions tv;

	memset(&tv, 0xff, sizeof tv);
	for (uint64_t i = 0; i < 100; i++)
		cr_assert_lt(table_version(&tv, pmt, i, 255),
			     TABLE_VERSION_COUNT);
}
