/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/ci/ca_list.h"

#include "tests/unit/worker/adapter/ci/programs.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const struct ca_ids ids = { 1, { 0x0b00 } };
static struct ca_list list;
static struct ca_programs programs;
static char text[1024];

/* What the module gets until it has all: "first 1; last 2; " */
static const char *sent(void)
{
	static const char *const names[] = { "more", "first", "last", "only",
					     "add", "update" };
	uint8_t to[CA_PMT_MAX];
	size_t len = 0, n;

	text[0] = '\0';
	for (int i = 0; i < 100; i++) {
		n = ca_list_next(&list, &programs, to);
		if (n == 0)
			return text;
		len += (size_t)snprintf(text + len, sizeof text - len,
					"%s %d%s; ", names[to[0]],
					to[1] << 8 | to[2],
					to[11] == CA_NOT_SELECTED ? " off"
								  : "");
	}
	return "without an end";
}

static void put(uint16_t from, uint16_t to)
{
	for (uint16_t i = from; i <= to; i++)
		programs_put(&programs, i, 0);
}

Test(ca_list, one_program_is_a_list)
{
	ca_list_init(&list, 8, false, &ids);
	cr_assert_str_eq(sent(), "");
	put(7, 7);
	cr_assert_eq(ca_list_state(&list, &programs.list[0]),
		     CA_STATE_WAITING);
	cr_assert_str_eq(sent(), "only 7; ");
	cr_assert_eq(ca_list_state(&list, &programs.list[0]), CA_STATE_SENT);
	cr_assert_str_eq(sent(), "");
}

Test(ca_list, changes_do_not_disturb_the_other_programs)
{
	ca_list_init(&list, 8, false, &ids);
	put(1, 3);
	cr_assert_str_eq(sent(), "first 1; more 2; last 3; ");
	put(4, 4);
	cr_assert_str_eq(sent(), "add 4; ");
	programs_put(&programs, 2, 1);
	cr_assert_str_eq(sent(), "update 2; ");
	programs_drop(&programs, 3);
	cr_assert_str_eq(sent(), "update 3 off; ");
	programs_drop(&programs, 1);
	programs_drop(&programs, 2);
	programs_drop(&programs, 4);
	cr_assert_str_eq(sent(), "update 1 off; update 2 off; update 4 off; ");
	put(9, 9);
	cr_assert_str_eq(sent(), "only 9; ");
}

Test(ca_list, a_module_may_get_the_whole_list)
{
	ca_list_init(&list, 8, true, &ids);
	put(1, 2);
	cr_assert_str_eq(sent(), "first 1; last 2; ");
	cr_assert_str_eq(sent(), "");
	put(3, 3);
	cr_assert_str_eq(sent(), "first 1; more 2; last 3; ");
	programs_put(&programs, 3, 1);
	cr_assert_str_eq(sent(), "first 1; more 2; last 3; ");
	programs_drop(&programs, 1);
	cr_assert_str_eq(sent(), "first 2; last 3; ");
	programs_drop(&programs, 2);
	cr_assert_str_eq(sent(), "only 3; ");
	programs_drop(&programs, 3);
	cr_assert_str_eq(sent(), "update 3 off; ");
	cr_assert_str_eq(sent(), "");
}

Test(ca_list, the_last_programs_of_a_whole_list_go_at_once)
{
	ca_list_init(&list, 8, true, &ids);
	put(1, 3);
	cr_assert_str_eq(sent(), "first 1; more 2; last 3; ");
	programs_drop(&programs, 1);
	programs_drop(&programs, 2);
	programs_drop(&programs, 3);
	cr_assert_str_eq(sent(), "update 1 off; update 2 off; update 3 off; ");
	cr_assert_str_eq(sent(), "");
	put(9, 9);
	cr_assert_str_eq(sent(), "only 9; ");
}

Test(ca_list, a_list_that_began_is_completed)
{
	uint8_t to[CA_PMT_MAX];

	ca_list_init(&list, 8, false, &ids);
	put(1, 3);
	cr_assert_gt(ca_list_next(&list, &programs, to), 0);
	programs_drop(&programs, 3);
	put(5, 5);
	cr_assert_str_eq(sent(), "more 2; last 3; update 3 off; add 5; ");
}

Test(ca_list, programs_beyond_the_limit_wait)
{
	ca_list_init(&list, 2, false, &ids);
	put(1, 3);
	cr_assert_str_eq(sent(), "first 1; last 2; ");
	cr_assert_eq(ca_list_state(&list, &programs.list[2]), CA_STATE_OVER);
	programs_drop(&programs, 1);
	cr_assert_str_eq(sent(), "update 1 off; add 3; ");
}

Test(ca_list, the_limit_keeps_the_programs_that_the_module_has)
{
	ca_list_init(&list, 1, true, &ids);
	put(5, 5);
	cr_assert_str_eq(sent(), "only 5; ");
	put(1, 1);
	cr_assert_str_eq(sent(), "");
	cr_assert_eq(ca_list_state(&list, &programs.list[0]), CA_STATE_SENT);
	cr_assert_eq(ca_list_state(&list, &programs.list[1]), CA_STATE_OVER);
}

Test(ca_list, programs_that_the_module_cannot_do_are_not_sent)
{
	static const struct ca_ids other = { 1, { 0x0500 } };

	ca_list_init(&list, 8, false, &other);
	put(1, 1);
	programs.list[1].number = 2;
	programs.n = 2;
	cr_assert_str_eq(sent(), "");
	cr_assert_eq(ca_list_state(&list, &programs.list[0]),
		     CA_STATE_FOREIGN);
	cr_assert_eq(ca_list_state(&list, &programs.list[1]),
		     CA_STATE_NO_PMT);
}

Test(ca_list, holds_the_most_programs)
{
	ca_list_init(&list, 1000, false, &ids);
	put(1, CA_PROGRAMS_MAX);
	cr_assert_eq(strncmp(sent(), "first 1; ", 9), 0);
	cr_assert_eq(list.sent.n, CA_PROGRAMS_MAX);
}
