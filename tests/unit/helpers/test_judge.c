/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The judge itself: a fault that it misses is found by no test. */
#include "tests/helpers/judge.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>

#define MS INT64_C(27000)

/* A PCR every 20 ms and ten packets; in the middle the clock jumps by `ticks`,
 * which no byte explains. */
static int64_t wander_of(int64_t ticks)
{
	struct build *b = build_new();
	uint64_t pcr = 5000 * MS;
	struct judge j;
	int64_t wander;

	build_tables(b);
	for (int i = 0; i < 100; i++, pcr += 20 * MS) {
		if (i == 50)
			pcr += (uint64_t)ticks;
		(void)build_pcr(b, 0x101, pcr);
		for (int k = 0; k < 9; k++)
			(void)build_null(b);
	}
	judge_init(&j);
	judge_take(&j, b->data, b->n * TS_PACKET, -1);
	wander = judge_wander(&j);
	cr_assert_eq(j.pcrs, 100u);
	judge_done(&j);
	build_free(b);
	return wander;
}

Test(judge, a_clock_that_gains_on_its_bytes_shows)
{
	cr_assert_lt(wander_of(0), MS);
	cr_assert_gt(wander_of(50 * MS), 45 * MS);
	cr_assert_lt(wander_of(50 * MS), 55 * MS);
	/* nothing was sent for a while: that is reported elsewhere */
	cr_assert_lt(wander_of(500 * MS), MS);
}

/* The first packet of each unit has `first` bytes; the third unit goes back. */
static void judge_units(struct judge *j, size_t first)
{
	static const uint64_t times[] = { 1000, 4600, 4000, 8200 };
	static const uint8_t es[20] = { 0xff, 0xfd };
	struct build *b = build_new();

	build_tables(b);
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		uint8_t *p = build_pes(b, 0x102, es, sizeof es);

		p += ts_payload_offset(p);
		p[5] = 8 + sizeof es;
		pes_set_time(p + PES_HEADER, times[i]);
		build_split(b, first);
	}
	judge_init(j);
	judge_take(j, b->data, b->n * TS_PACKET, -1);
	build_free(b);
}

Test(judge, a_header_that_two_packets_have_is_judged)
{
	for (size_t first = 1; first < 34; first++) {
		struct judge j;

		judge_units(&j, first);
		cr_assert_eq(j.units, 4u, "%zu bytes", first);
		cr_assert_eq(j.dts_back, 1u, "%zu bytes", first);
		cr_assert_eq(j.cut_short, 0u, "%zu bytes", first);
		judge_done(&j);
	}
}
