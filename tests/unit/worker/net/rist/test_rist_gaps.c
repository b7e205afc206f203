/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/net/rist/rist_gaps.h"

#include <criterion/criterion.h>

/* A second of a flow: n blocks from this number on. */
static uint16_t flow(struct rist_gaps *g, uint16_t from, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		rist_gaps_take(g, from++, false, MS);
	rist_gaps_every_second(g);
	return from;
}

Test(rist_gaps, are_counted_across_the_wrap_of_sequence_numbers)
{
	struct rist_gaps g = { 0 };

	rist_gaps_begin(&g, 65530);
	cr_assert_eq(flow(&g, 65530, 4), 65534);
	rist_gaps_take(&g, 2, false, MS);
	cr_assert_eq(g.missed, 4);
	rist_gaps_take(&g, 3, false, MS);
	cr_assert_eq(g.missed, 4);
}

Test(rist_gaps, of_another_flow_count_from_its_first_block)
{
	struct rist_gaps g = { 0 };

	rist_gaps_begin(&g, 100);
	(void)flow(&g, 100, 50);
	rist_gaps_begin(&g, 9000);
	(void)flow(&g, 9000, 50);
	cr_assert_eq(g.missed, 0);
}

Test(rist_gaps, of_a_broken_network_count)
{
	struct rist_gaps g = { 0 };
	uint16_t next;

	rist_gaps_begin(&g, 0);
	next = flow(&g, 0, 70);
	for (int i = 0; i < 5; i++)
		rist_gaps_every_second(&g);
	rist_gaps_take(&g, (uint16_t)(next + 350), true, 5000 * MS);
	cr_assert_eq(g.missed, 350);
}

Test(rist_gaps, of_a_restarted_sender_do_not_count)
{
	struct rist_gaps g = { 0 };
	uint16_t next;

	rist_gaps_begin(&g, 0);
	next = flow(&g, 0, 70);
	rist_gaps_every_second(&g);
	rist_gaps_take(&g, (uint16_t)(next + 20000), true, 1500 * MS);
	cr_assert_eq(g.missed, 0);
	/* from here it counts */
	rist_gaps_take(&g, (uint16_t)(next + 20003), false, MS);
	cr_assert_eq(g.missed, 2);
}

Test(rist_gaps, of_a_restart_within_the_buffer_do_not_count)
{
	struct rist_gaps g = { 0 };

	rist_gaps_begin(&g, 0);
	rist_gaps_take(&g, (uint16_t)(flow(&g, 0, 70) + 20000), false, 10 * MS);
	cr_assert_eq(g.missed, 0);
}

Test(rist_gaps, of_a_burst_count)
{
	struct rist_gaps g = { 0 };

	rist_gaps_begin(&g, 0);
	rist_gaps_take(&g, (uint16_t)(flow(&g, 0, 5) + 900), false, 300 * MS);
	cr_assert_eq(g.missed, 900);
}
