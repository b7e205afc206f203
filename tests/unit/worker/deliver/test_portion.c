/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/portion.h"

#include "common/base/util.h"

#include <criterion/criterion.h>

enum { HOLD_MS = 100, SECONDS = 20 };

Test(portion, waits_for_a_full_portion)
{
	struct portion p = { .hold_ms = HOLD_MS };

	portion_reset(&p, 1000, 0);
	cr_assert_not(portion_advance(&p, 1000 + PORTION_SIZE - 1, 99));
	cr_assert(portion_advance(&p, 1000 + PORTION_SIZE, 99));
	/* but for the rest of a page */
	cr_assert_eq(p.pos, PORTION_SIZE);
	cr_assert(portion_advance(&p, 3 * PORTION_SIZE, 198));
	cr_assert_eq(p.pos, 3 * PORTION_SIZE);
}

Test(portion, leaves_what_fills_no_portion_for_the_next_one)
{
	struct portion p = { .hold_ms = HOLD_MS };

	cr_assert(portion_advance(&p, 3 * PORTION_SIZE - 1, 60));
	cr_assert_eq(p.pos, 2 * PORTION_SIZE);
}

Test(portion, sends_everything_of_a_slow_stream_after_the_hold)
{
	struct portion p = { .hold_ms = HOLD_MS };

	cr_assert_not(portion_advance(&p, 188, HOLD_MS - 1));
	cr_assert(portion_advance(&p, 188, HOLD_MS));
	cr_assert_eq(p.pos, 188);
	cr_assert_not(portion_advance(&p, 188, 2 * HOLD_MS));
	/* packets after a pause leave at once */
	cr_assert(portion_advance(&p, 376, 2 * HOLD_MS));
}

/* A ticker that sleeps as long as it is told to: no byte waits longer than the
 * hold and a tick, and fast streams get whole portions. */
Test(portion, holds_no_byte_longer_and_wakes_seldom)
{
	static const uint64_t rates[] = { 1000, 100000, 500000, 1000000,
					  1250000, 4000000, 12500000 };
	enum { TICK_MS = 10 };

	for (size_t i = 0; i < ARRAY_LEN(rates); i++) {
		struct portion p = { .hold_ms = HOLD_MS };
		unsigned sends = 0, odd = 0, wakes = 0;
		uint64_t now = 0;

		while (now < SECONDS * 1000) {
			uint64_t end = rates[i] * now / 1000, from = p.pos;
			uint64_t late = rates[i] * (HOLD_MS + TICK_MS) / 1000;

			if (portion_advance(&p, end, now)) {
				sends++;
				odd += (p.pos - from) % PORTION_SIZE != 0;
			}
			cr_assert_leq(end - p.pos, late, "%ju", rates[i]);
			wakes++;
			now += MAX(portion_wait_ms(&p, end, rates[i], now),
				   (unsigned)TICK_MS);
		}
		cr_assert_leq(sends, SECONDS * 20U + 1, "%ju", rates[i]);
		cr_assert_leq(wakes, 2 * sends + 2, "%ju", rates[i]);
		if (rates[i] * HOLD_MS / 1000 > PORTION_SIZE)
			cr_assert_eq(odd, 0, "%ju", rates[i]);
	}
}
