/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random streams over two random networks, merged by content: every packet
 * that one path delivered goes out, and no packet overtakes another of its PID.
 */
#include "tests/unit/rounds.h"
#include "tests/unit/worker/merge/merge_count.h"

#include <criterion/criterion.h>

enum {
	DATAGRAMS = 3000, /* of one run */
	SEEDS = 20 / ROUNDS_DIVISOR,
};

/* Tables and pictures, whole and in order, also where a count of 16 lies
 * between the remaining packets. */
Test(merge_order, keeps_the_order_around_a_loss_of_both)
{
	static const unsigned lost[] = { 20, 50 }, twice[] = { 0, 20 };
	struct sim *s = sim_new(DATAGRAMS);

	for (unsigned i = 0; i < 4 * SEEDS; i++) {
		const struct sim_network net = { .lost = lost[i & 1],
						 .burst = 1 };
		struct merge_faults f = { 0 };

		sim_begin(s, i);
		sim_make(s, twice[i >> 1 & 1]);
		sim_carry(s, 0, &net, 0);
		sim_carry(s, 1, &net, 0);
		sim_play(s);
		merge_count(s, &f);
		cr_expect_eq(f.missing, 0, "seed %u", i);
		cr_expect_eq(f.doubled, 0, "seed %u", i);
		cr_expect_eq(f.disordered, 0, "seed %u", i);
	}
	sim_free(&s);
}

/* One path is cut and returns later than before; packets that the other path
 * lacks then are sent in front of those behind them, null packets or not. */
Test(merge_order, keeps_the_order_after_a_detour)
{
	struct sim_network net = { .lost = 20,
				   .burst = 1,
				   .cut_every_ms = 3000,
				   .cut_ms = 700 };
	struct sim *s = sim_new(DATAGRAMS);

	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		struct merge_faults f = { 0 };

		sim_begin(s, seed);
		sim_make(s, 0);
		net.cut_first_ms = 1100;
		net.detour_ms = 0;
		sim_carry(s, 0, &net, 0);
		net.cut_first_ms = 2600;
		net.detour_ms = 120;
		sim_carry(s, 1, &net, 0);
		sim_play(s);
		merge_count(s, &f);
		cr_expect_eq(f.missing, 0, "seed %u", seed);
		cr_expect_eq(f.disordered, 0, "seed %u", seed);
	}
	sim_free(&s);
}
