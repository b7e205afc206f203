/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/cc_rewrite.h"

#include <criterion/criterion.h>

enum { PID = 0x100 };

/* flags: '-' no payload, 'd' discontinuity_indicator */
static void make(uint8_t *p, unsigned cc, char flags)
{
	for (size_t i = 0; i < TS_PACKET; i++)
		p[i] = 0xff;
	p[0] = TS_SYNC_BYTE;
	p[1] = PID >> 8;
	p[2] = PID & 0xff;
	p[3] = (uint8_t)((flags == '-' ? 0x20 : flags ? 0x30 : 0x10) | cc);
	if (flags) {
		p[4] = flags == '-' ? 183 : 1;
		p[5] = flags == 'd' ? 0x80 : 0;
	}
}

/* The new counter, or -1 for a duplicate. */
static int feed(struct cc_rewrite *c, unsigned cc, char flags)
{
	uint8_t p[TS_PACKET];

	make(p, cc, flags);
	return cc_rewrite_feed(c, p) ? ts_cc(p) : -1;
}

Test(cc_rewrite, continues_after_inserted_packets)
{
	struct cc_rewrite c = { 0 };
	int first = feed(&c, 5, 0);

	cr_assert_eq(feed(&c, 6, 0), (first + 1) & 15);
	*cc_rewrite_next(&c, PID) = (uint8_t)((first + 2 + 3) & 15);
	cr_assert_eq(feed(&c, 7, 0), (first + 5) & 15);
	cr_assert_eq(feed(&c, 8, 0), (first + 6) & 15);
}

Test(cc_rewrite, wraps_at_16)
{
	struct cc_rewrite c = { 0 };
	int last = feed(&c, 0, 0);

	for (unsigned i = 1; i < 40; i++) {
		int now = feed(&c, i & 15, 0);

		cr_assert_eq(now, (last + 1) & 15);
		last = now;
	}
}

Test(cc_rewrite, keeps_a_loss_visible)
{
	struct cc_rewrite c = { 0 };
	int last = feed(&c, 3, 0);

	cr_assert_eq(feed(&c, 6, 0), (last + 3) & 15);
	cr_assert_eq(feed(&c, 7, 0), (last + 4) & 15);
}

Test(cc_rewrite, reports_a_duplicate)
{
	struct cc_rewrite c = { 0 };
	int last = feed(&c, 3, 0);

	cr_assert_eq(feed(&c, 3, 0), -1);
	cr_assert_eq(feed(&c, 4, 0), (last + 1) & 15);
}

Test(cc_rewrite, smooths_an_announced_discontinuity)
{
	struct cc_rewrite c = { 0 };
	int last = feed(&c, 3, 0);

	cr_assert_eq(feed(&c, 12, 'd'), (last + 1) & 15);
	cr_assert_eq(feed(&c, 12, 'd'), (last + 2) & 15);
}

Test(cc_rewrite, does_not_count_packets_without_payload)
{
	struct cc_rewrite c = { 0 };
	int last = feed(&c, 3, 0);

	cr_assert_eq(feed(&c, 3, '-'), last);
	cr_assert_eq(feed(&c, 4, 0), (last + 1) & 15);
}
