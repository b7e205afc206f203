/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/cc_join.h"

#include <criterion/criterion.h>
#include <string.h>

enum { PID = 0x100 };

/* Feeds a packet with or without payload; returns its counter, or -1 if it is
 * dropped. */
static int feed(struct cc_join *j, unsigned cc, bool start, bool payload)
{
	uint8_t packet[TS_PACKET] = { TS_SYNC_BYTE, start ? 0x41 : 0x01, 0x00,
				      payload ? 0x10 : 0x20 };
	uint8_t out;

	ts_set_cc(packet, cc);
	switch (cc_join_feed(j, packet, &out)) {
	case CC_JOIN_UNCHANGED:
		return (int)cc;
	case CC_JOIN_CHANGED:
		return out;
	case CC_JOIN_DROP:
		break;
	}
	return -1;
}

Test(cc_join, continuous_counters_stay)
{
	static struct cc_join j;

	cc_join_segment(&j, true);
	cr_assert_eq(feed(&j, 14, true, true), 14);
	cr_assert_eq(feed(&j, 15, false, true), 15);
	cc_join_segment(&j, true);
	cr_assert_eq(feed(&j, 0, true, true), 0);
	/* loss inside a segment stays visible */
	cr_assert_eq(feed(&j, 2, false, true), 2);
	cr_assert_eq(j.truncated, 0);
}

Test(cc_join, restarted_counters_are_continued)
{
	static struct cc_join j;

	cc_join_segment(&j, true);
	cr_assert_eq(feed(&j, 6, true, true), 6);
	cc_join_segment(&j, true);
	cr_assert_eq(feed(&j, 0, true, true), 7);
	cr_assert_eq(feed(&j, 1, false, true), 8);
	cr_assert_eq(feed(&j, 1, false, false), 8);
	/* again, although the counters would fit */
	cc_join_segment(&j, true);
	cr_assert_eq(feed(&j, 9, true, true), 9);
	cr_assert_eq(feed(&j, 10, true, true), 10);
}

Test(cc_join, drops_the_remaining_packets_of_a_lost_unit)
{
	static struct cc_join j;

	cc_join_segment(&j, true);
	cr_assert_eq(feed(&j, 3, true, true), 3);
	cc_join_segment(&j, true);
	cr_assert_eq(feed(&j, 8, false, true), -1);
	cr_assert_eq(feed(&j, 9, false, true), -1);
	cr_assert_eq(feed(&j, 10, true, true), 4);
	cr_assert_eq(feed(&j, 11, false, true), 5);
	cr_assert_eq(j.truncated, 1);
}

Test(cc_join, waits_once_for_a_pid_without_units)
{
	static struct cc_join j;

	cc_join_segment(&j, true);
	cr_assert_eq(feed(&j, 3, false, true), 3);
	cc_join_segment(&j, true);
	cr_assert_eq(feed(&j, 0, false, true), -1);
	cc_join_segment(&j, true);
	cr_assert_eq(feed(&j, 5, false, true), 4);
}

Test(cc_join, another_programme_has_its_own_counters)
{
	static struct cc_join j;

	cc_join_segment(&j, true);
	cr_assert_eq(feed(&j, 3, true, true), 3);
	cc_join_segment(&j, false);
	cr_assert_eq(feed(&j, 9, false, true), 9);
}
