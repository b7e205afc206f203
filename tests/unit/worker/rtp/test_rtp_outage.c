/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outages that are longer than a gap which RFC 3550 A.1 takes for a loss. */
#include "tests/unit/worker/rtp/rtp_rig.h"

#include <criterion/criterion.h>

static const struct rtp_window_config alone = {
	.places = 1024,
	.paths = 1,
	.reorder_ms = 20,
};

/* An outage while number and time go on: each datagram counts as lost, and
 * the output goes on with the second datagram behind it. */
Test(rtp_outage, counts_an_outage_of_any_length)
{
	static const uint32_t outages[] = { 3000, 4000, 10000, 32767, 32768,
					    40000, 65000, 70000, 200000 };

	for (size_t i = 0; i < ARRAY_LEN(outages); i++) {
		uint32_t n = outages[i];
		struct rtp_rig r;

		rtp_rig_init(&r, alone);
		rtp_rig_feed_all(&r, 0, 1500);
		rtp_rig_pass(&r, 1500);
		rtp_window_every_second(r.window, r.now_ns);
		rtp_rig_pass(&r, n);
		rtp_window_every_second(r.window, r.now_ns);
		rtp_rig_expect(&r, 0, 1500);
		rtp_rig_feed_all(&r, 1500 + n, 1600 + n);
		rtp_rig_expect(&r, 1500 + n, 100);
		cr_assert_eq(rtp_rig_counts(&r).lost, n, "%u: %u", n,
			     (unsigned)rtp_rig_counts(&r).lost);
		cr_assert_eq(rtp_rig_counts(&r).path[0].stray, 0);

		/* and once more */
		rtp_rig_pass(&r, n);
		rtp_rig_feed_all(&r, 1600 + 2 * n, 1700 + 2 * n);
		rtp_rig_expect(&r, 1600 + 2 * n, 100);
		cr_assert_eq(rtp_rig_counts(&r).lost, 2 * n);
		rtp_rig_done(&r);
	}
}

/* The numbers jump further than the time that passed allows. */
Test(rtp_outage, a_restart_with_its_old_clock_is_no_outage)
{
	static const uint16_t jumps[] = { 5000, 20000, 60000 };

	for (size_t i = 0; i < ARRAY_LEN(jumps); i++) {
		struct rtp_rig r;

		rtp_rig_init(&r, alone);
		rtp_rig_feed_all(&r, 0, 1500);
		rtp_window_every_second(r.window, r.now_ns);
		rtp_rig_expect(&r, 0, 1500);
		rtp_rig_pass(&r, 1000);
		/* a second passed by the time stamps too */
		r.first_seq = (uint16_t)(r.first_seq + jumps[i]);
		rtp_rig_feed_all(&r, 2500, 2600);
		rtp_rig_expect(&r, 2500, 100);
		cr_assert_eq(rtp_rig_counts(&r).lost, 0, "%u", jumps[i]);
		rtp_rig_done(&r);
	}
}
