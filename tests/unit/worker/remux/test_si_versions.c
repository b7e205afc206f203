/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/si_versions.h"

#include "common/base/crc32.h"
#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { EIT = 0x4e, SDT = 0x42, NIT = 0x40 };

static struct si_versions sv;
static uint32_t edits; /* of the table that is sent */

/* The version with which a section of this content goes out. */
static unsigned send_of(uint8_t table_id, uint16_t extension, uint8_t number,
			uint32_t source, uint8_t version, const char *content)
{
	uint8_t section[64], before[64];
	char body[32];
	size_t len;

	(void)snprintf(body, sizeof body, "tsonst%s", content);
	len = build_table(section, &(struct build_table){
		table_id, extension, version, number, 1, body, strlen(body),
	});
	memcpy(before, section, len);
	si_versions_apply(&sv, source, edits, section, len);
	cr_assert_eq(crc32_mpeg(section, len), 0u);
	/* nothing but version and CRC_32 may change */
	cr_assert_arr_eq(section, before, 5);
	cr_assert_arr_eq(section + 6, before + 6, len - 10);
	cr_assert_eq(section[5] & 0xc1, before[5] & 0xc1);
	return section[5] >> 1 & 31;
}

static unsigned send_eit(uint8_t number, uint32_t source, uint8_t version,
			 const char *content)
{
	return send_of(EIT, 7, number, source, version, content);
}

Test(si_versions, of_one_source_are_its_own_until_another_is_active)
{
	si_versions_begin(&sv, 1);
	cr_assert_eq(send_eit(0, 1, 3, "a"), 3u);
	cr_assert_eq(send_eit(1, 1, 3, "b"), 3u);
	cr_assert_eq(send_eit(0, 1, 4, "c"), 4u);
	/* a standby source changes nothing */
	cr_assert_eq(send_eit(0, 2, 9, "x"), 5u);
	cr_assert_eq(send_of(EIT, 8, 0, 2, 9, "x"), 9u);
	cr_assert_eq(send_eit(0, 1, 4, "c"), 4u);
	cr_assert_eq(send_of(EIT, 8, 0, 1, 3, "x"), 3u);
}

/* Packets that waited for the switch are sent behind it. */
Test(si_versions, of_a_standby_source_are_those_behind_the_switch)
{
	static const uint8_t tables[] = { EIT, SDT, NIT, 0x4a /* BAT */ };

	for (size_t i = 0; i < sizeof tables; i++) {
		uint8_t table = tables[i];

		si_versions_begin(&sv, 1);
		cr_assert_eq(send_of(table, 9, 0, 1, 0, "a"), 0u);
		cr_assert_eq(send_of(table, 9, 1, 1, 0, "a"), 0u);
		cr_assert_eq(send_of(table, 9, 2, 1, 0, "a"), 0u);
		cr_expect_eq(send_of(table, 9, 0, 2, 0, "b"), 1u);
		cr_expect_eq(send_of(table, 9, 0, 3, 7, "a"), 0u);
		cr_expect_eq(send_of(table, 9, 2, 3, 0, "a"), 0u);
		si_versions_begin(&sv, 2);
		cr_assert_eq(send_of(table, 9, 0, 2, 0, "b"), 1u);
		cr_expect_eq(send_of(table, 9, 0, 1, 0, "a"), 2u);
		si_versions_begin(&sv, 1);
		cr_assert_eq(send_of(table, 9, 0, 1, 0, "a"), 2u);
	}
}

Test(si_versions, continue_when_another_source_has_another_content)
{
	si_versions_begin(&sv, 1);
	cr_assert_eq(send_eit(0, 1, 3, "a"), 3u);
	si_versions_begin(&sv, 2);
	/* the version that a receiver has, of another table */
	cr_assert_eq(send_eit(0, 2, 3, "x"), 4u);
	cr_assert_eq(send_eit(1, 2, 3, "y"), 4u, "one version for all");
	cr_assert_eq(send_eit(0, 2, 3, "x"), 4u);
	cr_assert_eq(send_eit(0, 2, 8, "z"), 5u);
	si_versions_begin(&sv, 1);
	cr_assert_eq(send_eit(0, 1, 5, "z2"), 6u);
}

/* The content is that of the output, with the descriptors of the operator. */
Test(si_versions, change_when_an_operator_changes_descriptors)
{
	si_versions_begin(&sv, 1);
	edits = 1; /* the first change of a table that was passed */
	cr_assert_eq(send_of(SDT, 1, 0, 1, 3, "a"), 4u);
	cr_assert_eq(send_of(SDT, 1, 3, 1, 3, "d"), 4u);
	si_versions_begin(&sv, 1);
	cr_assert_eq(send_of(SDT, 1, 0, 1, 3, "a"), 4u, "a restart");
	si_versions_begin(&sv, 1);
	edits = 3; /* of section 3 alone */
	cr_assert_eq(send_of(SDT, 1, 0, 1, 3, "a"), 5u);
	cr_assert_eq(send_of(SDT, 1, 3, 1, 3, "x"), 5u);
	si_versions_begin(&sv, 1);
	edits = 0;
	cr_assert_eq(send_of(SDT, 1, 0, 1, 3, "a"), 6u);
	cr_assert_eq(send_of(SDT, 1, 0, 1, 31, "b"), 7u);
}

/* As the files of a list, in order. */
Test(si_versions, continue_when_one_source_changes_without_a_new_version)
{
	si_versions_begin(&sv, 1);
	cr_assert_eq(send_eit(0, 1, 3, "a"), 3u);
	cr_assert_eq(send_eit(1, 1, 3, "b"), 3u);
	cr_assert_eq(send_eit(0, 1, 3, "x"), 4u);
	cr_assert_eq(send_eit(1, 1, 3, "b"), 4u, "one version for all");
	cr_assert_eq(send_eit(0, 1, 3, "x"), 4u);
	cr_assert_eq(send_eit(0, 1, 3, "a"), 5u);
	cr_assert_eq(send_eit(0, 1, 4, "c"), 6u);
}

Test(si_versions, stay_where_both_sources_have_the_same_content)
{
	si_versions_begin(&sv, 1);
	cr_assert_eq(send_eit(0, 1, 3, "a"), 3u);
	cr_assert_eq(send_eit(1, 1, 3, "b"), 3u);
	si_versions_begin(&sv, 2);
	cr_assert_eq(send_eit(1, 2, 17, "b"), 3u);
	cr_assert_eq(send_eit(0, 2, 17, "a"), 3u);
	cr_assert_eq(send_eit(0, 2, 18, "c"), 4u);
}

Test(si_versions, go_round)
{
	si_versions_begin(&sv, 1);
	cr_assert_eq(send_eit(0, 1, 31, "a"), 31u);
	si_versions_begin(&sv, 2);
	cr_assert_eq(send_eit(0, 2, 31, "b"), 0u);
	cr_assert_eq(send_eit(0, 2, 0, "c"), 1u);
}

Test(si_versions, each_table_counts_separately)
{
	si_versions_begin(&sv, 1);
	cr_assert_eq(send_of(EIT, 7, 0, 1, 3, "a"), 3u);
	cr_assert_eq(send_of(EIT, 8, 0, 1, 5, "a"), 5u);
	cr_assert_eq(send_of(SDT, 7, 0, 1, 6, "a"), 6u);
	cr_assert_eq(send_of(NIT, 7, 0, 1, 7, "a"), 7u);
	si_versions_begin(&sv, 2);
	cr_assert_eq(send_of(EIT, 8, 0, 2, 5, "b"), 6u);
	cr_assert_eq(send_of(EIT, 7, 0, 2, 5, "b"), 4u);
	cr_assert_eq(send_of(SDT, 7, 0, 2, 9, "a"), 6u);
	cr_assert_eq(send_of(NIT, 7, 0, 2, 7, "c"), 8u);
	/* these do not count */
	cr_assert_eq(send_of(0x02, 7, 0, 2, 7, "a"), 7u);
	cr_assert_eq(send_of(0x74, 7, 0, 2, 7, "a"), 7u);
}

Test(si_versions, more_tables_than_there_is_room_for_go_as_they_are)
{
	si_versions_begin(&sv, 1);
	for (unsigned i = 0; i < SI_TABLES_MAX + 10; i++)
		cr_assert_eq(send_of(EIT, (uint16_t)i, 0, 1, 3, "a"), 3u);
	si_versions_begin(&sv, 2);
	cr_assert_eq(send_of(EIT, 0, 0, 2, 3, "b"), 4u);
	cr_assert_eq(send_of(EIT, SI_TABLES_MAX + 5, 0, 2, 3, "b"), 3u);
}

/* It is memory that another process wrote. */
Test(si_versions, of_a_damaged_memory_are_versions_all_the_same)
{
	memset(&sv, 0xff, sizeof sv);
	for (size_t i = 0; i < SI_TABLES_MAX; i += 2)
		sv.tables[i].key = 0;
	si_versions_begin(&sv, 1);
	for (uint8_t i = 0; i < 40; i++)
		cr_assert_lt(send_eit(i % 3, 1, i % 32, "a"), 32u);
	/* shorter than its table_id requires */
	for (size_t len = 0; len < 16; len++) {
		uint8_t section[16] = { EIT };

		si_versions_apply(&sv, 1, 0, section, len);
	}
}
