/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/adapter_programs.h"

#include <criterion/criterion.h>

Test(adapter_programs, programs_are_a_list_with_each_once)
{
	struct msg_adapter_programs p = { 0 };

	adapter_programs_add(&p, 7);
	adapter_programs_add(&p, 3);
	adapter_programs_add(&p, 9);
	adapter_programs_add(&p, 7);
	cr_assert_eq(p.n, 3u);
	cr_assert(p.numbers[0] == 3 && p.numbers[1] == 7 && p.numbers[2] == 9);
	for (uint16_t i = 1; i < ADAPTER_PROGRAMS_MAX + 2; i++)
		adapter_programs_add(&p, i);
	cr_assert(p.all, "more than the message can have");
	cr_assert_eq(p.n, 0u);
	adapter_programs_add(&p, 1);
	cr_assert_eq(p.n, 0u);
	p = (struct msg_adapter_programs){ 0 };
	adapter_programs_add(&p, 0);
	cr_assert(p.all);
}
