/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/lag.h"

#include "common/base/ring.h"
#include "common/base/util.h"

#include <criterion/criterion.h>

#define MIB (UINT64_C(1) << 20)

static const struct lag_kernel usual = {
	.sndbuf_max = 4 * MIB,
	.rcvbuf_max = 6 * MIB,
};

static const uint64_t sizes[] = {
	RING_UNIT, 4 * RING_UNIT, RING_SIZE_DEFAULT, 64 * (uint64_t)RING_UNIT,
	1024 * (uint64_t)RING_UNIT,
};

static const uint64_t rates[] = {
	0, 100000, 1000000, 6 * MIB, 100 * MIB, UINT64_MAX,
};

Test(lag, keeps_a_second_and_the_receive_buffer_away_from_the_writer)
{
	struct lag lag;

	lag_init(&lag, 16 * MIB, MIB + MIB / 2, &usual);
	cr_assert_eq(lag.limit, 16 * MIB - MIB - MIB / 2 - 6 * MIB);
	/* a slow stream has at least a sixteenth of the ring */
	lag_init(&lag, 16 * MIB, 1000, &usual);
	cr_assert_eq(lag.limit, 16 * MIB - MIB - 6 * MIB);
	/* a fast stream or a large buffer leave some of it */
	lag_init(&lag, 16 * MIB, 100 * MIB, &usual);
	cr_assert_eq(lag.limit, 16 * MIB - 4 * MIB - 6 * MIB);
	lag_init(&lag, 16 * MIB, 0,
		 &(struct lag_kernel){ .rcvbuf_max = 32 * MIB });
	cr_assert_eq(lag.limit, (16 * MIB - MIB) / 2);
}

Test(lag, leaves_the_send_buffer_to_the_kernel_for_a_usual_ring)
{
	struct lag lag;

	lag_init(&lag, RING_SIZE_DEFAULT, 0, &usual);
	cr_assert_eq(lag.sndbuf, 0);
	lag_init(&lag, RING_UNIT, 0, &usual);
	cr_assert_gt(lag.sndbuf, 0);
}

/* For all sizes and rates: below ask_above no viewer is over the limit, and a
 * viewer is not disconnected at its start. */
Test(lag, finds_every_viewer_over_the_limit)
{
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		for (size_t j = 0; j < ARRAY_LEN(rates); j++) {
			struct lag lag;
			uint64_t queue;

			lag_init(&lag, sizes[i], rates[j], &usual);
			queue = lag.sndbuf ? 2 * lag.sndbuf
					   : usual.sndbuf_max;
			cr_assert_lt(lag.limit, sizes[i]);
			cr_assert_leq(lag.ask_above + queue, lag.limit);
			cr_assert_lt(lag.start_max, lag.limit);
			cr_assert_geq(lag.start_max, sizes[i] / 4);
			cr_assert_eq(lag_judge(&lag, lag.start_max, 0),
				     LAG_FINE);
		}
	}
}

Test(lag, reports_the_first_byte_over_the_limit)
{
	struct lag lag;

	lag_init(&lag, 16 * MIB, 0, &usual);
	cr_assert_eq(lag_judge(&lag, 0, 0), LAG_FINE);
	cr_assert_eq(lag_judge(&lag, lag.limit - 1000, 1000), LAG_FINE);
	cr_assert_eq(lag_judge(&lag, lag.limit - 1000, 1001), LAG_SLOW);
	cr_assert_eq(lag_judge(&lag, lag.limit + 1, 1), LAG_SLOW);
	cr_assert_eq(lag_judge(&lag, UINT64_MAX / 2, 1), LAG_SLOW);
}

Test(lag, reports_a_late_pass_if_the_viewer_has_all_bytes)
{
	struct lag lag;

	lag_init(&lag, 16 * MIB, 0, &usual);
	cr_assert_eq(lag_judge(&lag, lag.limit, 0), LAG_FINE);
	cr_assert_eq(lag_judge(&lag, lag.limit + 1, 0), LAG_LATE);
}
