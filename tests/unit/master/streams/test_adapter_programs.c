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

Test(adapter_programs, pids_of_streams_stay_beside_all_programs)
{
	struct msg_adapter_programs p = { 0 }, other = { 0 };

	adapter_programs_add_pid(&p, 900);
	adapter_programs_add_pid(&p, 0);
	adapter_programs_add_pid(&p, 800);
	adapter_programs_add_pid(&p, 900);
	cr_assert_eq(p.n_pids, 2u);
	cr_assert(p.pids[0] == 800 && p.pids[1] == 900);
	cr_assert_not(adapter_programs_equal(&p, &other));
	adapter_programs_add_pid(&other, 900);
	adapter_programs_add_pid(&other, 801);
	cr_assert_not(adapter_programs_equal(&p, &other));
	other = p;
	cr_assert(adapter_programs_equal(&p, &other));
	other.emms = true;
	cr_assert_not(adapter_programs_equal(&p, &other));
	adapter_programs_add(&p, 7);
	adapter_programs_add(&p, 0);
	cr_assert(p.all && p.n == 0 && p.n_pids == 2);
	for (uint16_t i = 1; i <= ADAPTER_PIDS_MAX + 1; i++)
		adapter_programs_add_pid(&p, i);
	cr_assert_eq(p.n_pids, (size_t)ADAPTER_PIDS_MAX);
}
