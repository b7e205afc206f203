/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/tap.h"

#include "common/base/units.h"
#include "proto/ipc/msg.h"

#include <criterion/criterion.h>

static void request(struct tap *t, unsigned position, bool begin,
		    uint64_t now_ns)
{
	tap_request(t, &(struct msg_stream_scan){ position, begin }, NULL,
		    now_ns);
}

Test(tap, ends_without_a_repetition)
{
	const uint64_t life = SCAN_KEEP_S * SECOND_NS;
	struct tap t = { 0 };

	request(&t, 2, true, 0);
	cr_assert_not_null(t.feed);
	cr_expect_eq(t.position, 2);
	tap_second(&t, life - 1);
	cr_expect_not_null(t.feed);
	request(&t, 2, false, life - 1);
	tap_second(&t, life);
	cr_expect_not_null(t.feed, "it was repeated");
	tap_second(&t, 2 * life);
	cr_expect_null(t.feed);
	tap_done(&t);
}

Test(tap, reports_one_input)
{
	struct tap t = { 0 };

	request(&t, 2, true, 0);
	request(&t, 1, false, 0);
	cr_expect_eq(t.position, 1);
	cr_expect_not_null(t.feed);
	request(&t, 0, false, 0);
	cr_expect_null(t.feed);
	/* nothing to end, and packets of an input that nobody reports */
	request(&t, 0, false, 0);
	tap_packets(&t, 0, NULL, 0);
	tap_second(&t, 1);
	tap_done(&t);
}
