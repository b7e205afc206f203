/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Present and following events of all inputs, beside a schedule of one. */
#include "worker/mux/eit_share.h"

#include "common/base/units.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <criterion/criterion.h>
#include <string.h>

/* The third byte is the input.  Each one is of another service. */
static void push(struct eit_share *s, size_t input, uint8_t table, size_t len)
{
	static uint8_t service;
	uint8_t section[SECTION_MAX] = { table, 0, (uint8_t)input, 0,
					 ++service };

	eit_share_push(s, input, section, len);
}

/* The input of the next section, or -1; *ret_table: its table. */
static int next(struct eit_share *s, uint8_t *ret_table)
{
	size_t len;
	const uint8_t *section = eit_share_next(s, 0, false, &len);

	*ret_table = section != NULL ? section[0] : 0;
	return section != NULL ? section[2] : -1;
}

Test(eit_share, present_events_precede_the_schedule_of_any_input)
{
	struct eit_share *s = eit_share_new(2);
	uint8_t table;

	for (unsigned i = 0; i < 8; i++)
		push(s, 0, EIT_SCHEDULE_TABLE_ID, 3000);
	push(s, 1, EIT_TABLE_ID, 300);
	cr_expect_eq(next(s, &table), 1);
	cr_expect_eq(table, EIT_TABLE_ID);
	for (unsigned i = 0; i < 8; i++)
		cr_expect_eq(next(s, &table), 0);
	cr_expect_eq(next(s, &table), -1);
	eit_share_free(&s);
}

Test(eit_share, present_events_without_end_leave_a_quarter_to_the_schedule)
{
	struct eit_share *s = eit_share_new(2);
	unsigned schedule = 0;
	uint8_t table;

	push(s, 1, EIT_SCHEDULE_TABLE_ID, 1200);
	for (unsigned i = 0; i < 40; i++)
		push(s, 0, EIT_TABLE_ID, 300);
	/* the first one after three times its bytes */
	for (unsigned i = 0; i < 12; i++)
		cr_expect_eq(next(s, &table), 0);
	cr_expect_eq(next(s, &table), 1);
	push(s, 1, EIT_SCHEDULE_TABLE_ID, 300);
	for (unsigned i = 0; i < 3; i++)
		cr_expect_eq(next(s, &table), 0);
	cr_expect_eq(next(s, &table), 1);
	for (unsigned i = 0; i < 10; i++)
		push(s, 1, EIT_SCHEDULE_TABLE_ID, 300);
	for (unsigned i = 0; i < 20; i++)
		schedule += next(s, &table) == 1;
	cr_expect_eq(schedule, 5u, "%u", schedule);
	eit_share_free(&s);
}

Test(eit_share, every_input_gets_its_share_and_what_has_no_room_is_counted)
{
	struct eit_share *s = eit_share_new(3);
	unsigned of[3] = { 0 };
	uint8_t table;

	/* one input sends ten times what the others send */
	for (unsigned i = 0; i < 100; i++) {
		push(s, 0, EIT_SCHEDULE_TABLE_ID, 1000);
		if (i % 10 == 0)
			push(s, 1, EIT_SCHEDULE_TABLE_ID, 1000);
		if (i % 10 == 5)
			push(s, 2, EIT_SCHEDULE_TABLE_ID, 1000);
		if (i % 3 == 0)
			of[next(s, &table)]++;
	}
	cr_expect_geq(of[1], 9u);
	cr_expect_geq(of[2], 9u);
	cr_expect_gt(eit_share_dropped(s, 0), 40u);
	cr_expect_eq(eit_share_dropped(s, 1), 0u);
	cr_expect_eq(eit_share_dropped(s, 2), 0u);
	eit_share_free(&s);
}

/* An input that was silent has not saved up a share. */
Test(eit_share, a_silent_input_does_not_catch_up)
{
	struct eit_share *s = eit_share_new(2);
	uint8_t table;

	for (unsigned i = 0; i < 50; i++) {
		push(s, 0, EIT_SCHEDULE_TABLE_ID, 1000);
		cr_assert_eq(next(s, &table), 0);
	}
	for (unsigned i = 0; i < 10; i++) {
		push(s, 0, EIT_SCHEDULE_TABLE_ID, 1000);
		push(s, 1, EIT_SCHEDULE_TABLE_ID, 1000);
	}
	for (unsigned i = 0; i < 5; i++) {
		int a = next(s, &table), b = next(s, &table);

		cr_expect_eq(a + b, 1, "%d %d", a, b);
	}
	eit_share_free(&s);
}

Test(eit_share, sections_of_a_sub_table_keep_their_distance)
{
	const uint8_t a[12] = { EIT_TABLE_ID, 0, 0, 0, 1 };
	const uint8_t b[12] = { EIT_TABLE_ID, 0, 0, 0, 2 };
	struct eit_share *s = eit_share_new(2);
	uint64_t at = 0, last = 0;
	size_t len;

	eit_share_push(s, 0, a, sizeof a);
	eit_share_push(s, 0, a, sizeof a);
	eit_share_push(s, 0, b, sizeof b);
	eit_share_push(s, 1, a, sizeof a); /* of another service */
	cr_assert_not_null(eit_share_next(s, at, false, &len));
	cr_assert_not_null(eit_share_next(s, at, false, &len));
	while (eit_share_next(s, at, false, &len) == NULL)
		at += MS;
	cr_expect_geq(at, 27 * MS);
	cr_expect_leq(at, 32 * MS);
	last = at;
	cr_assert_eq(eit_share_next(s, at, false, &len)[4], 2);
	cr_expect_eq(at, last);
	eit_share_free(&s);
}

Test(eit_share, the_schedule_can_wait)
{
	struct eit_share *s = eit_share_new(2);
	size_t len;

	push(s, 0, EIT_SCHEDULE_TABLE_ID, 300);
	cr_expect_null(eit_share_next(s, 0, true, &len));
	push(s, 1, EIT_TABLE_ID, 300);
	cr_assert_not_null(eit_share_next(s, 0, true, &len));
	cr_expect_null(eit_share_next(s, 0, true, &len));
	cr_assert_not_null(eit_share_next(s, 0, false, &len));
	eit_share_free(&s);
}

Test(eit_share, sections_of_any_length_leave_as_they_came)
{
	struct eit_share *s = eit_share_new(1);
	uint8_t section[SECTION_MAX + 1];
	size_t len;

	memset(section, 0x5a, sizeof section);
	section[0] = EIT_TABLE_ID;
	eit_share_push(s, 0, section, SECTION_MAX + 1);
	cr_expect_eq(eit_share_dropped(s, 0), 1u);
	cr_expect_null(eit_share_next(s, 0, false, &len));
	eit_share_push(s, 0, section, SECTION_MAX);
	cr_assert_not_null(eit_share_next(s, 0, false, &len));
	cr_expect_eq(len, (size_t)SECTION_MAX);
	eit_share_free(&s);
}
