/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/input/iat_in.h"

#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <string.h>

#define START (1000000 * MS)
#define BEGIN (START + IAT_IN_SETTLE_MS * MS)

enum { DATAGRAM = 7 * TS_PACKET, TICKS_PER_MS = 27000 };

static const uint8_t nothing[4 * DATAGRAM];

static void note(struct iat_in *a, uint64_t us, size_t n)
{
	iat_in_note(a, &(struct arrival){ .wall_ns = BEGIN + us * 1000,
					    .data = nothing,
					    .len = n * DATAGRAM,
					    .segment = DATAGRAM });
}

static struct iat_in_report judge(struct iat_in *a)
{
	struct iat_in_report r;

	iat_in_judge(a, &r);
	iat_in_free(&a);
	return r;
}

Test(iat_in, measures_equal_gaps_of_a_steady_sender)
{
	struct iat_in *a = iat_in_new(START);
	struct iat_in_report r;

	for (unsigned i = 0; i <= 500; i++)
		note(a, 1000 * i, 1);
	r = judge(a);
	cr_assert_eq(r.datagrams, 501);
	cr_assert_eq(r.gaps, 500);
	cr_assert_eq(r.min_us, 1000);
	cr_assert_eq(r.mean_us, 1000);
	cr_assert_eq(r.p99_us, 1000);
	cr_assert_eq(r.max_us, 1000);
	cr_assert_eq(r.rate_kbps, DATAGRAM * 8);
	/* a buffer holds one datagram at the most */
	cr_assert(r.df_us >= 999 && r.df_us <= 1000, "%u", r.df_us);
}

Test(iat_in, measures_the_pause_of_a_sender)
{
	struct iat_in *a = iat_in_new(START);
	struct iat_in_report r;

	/* twenty wait for the next one, of a thousand */
	for (unsigned i = 0; i < 1000; i++)
		note(a, i > 500 && i <= 520 ? 521000 : 1000 * i, 1);
	r = judge(a);
	cr_assert_eq(r.p50_us, 1000);
	cr_assert_eq(r.min_us, 0);
	cr_assert_eq(r.max_us, 21000);
	cr_assert(r.df_us >= 21000 && r.df_us <= 22000, "%u", r.df_us);
}

Test(iat_in, measures_no_gap_between_datagrams_delivered_together)
{
	struct iat_in *a = iat_in_new(START);
	struct iat_in_report r;

	for (unsigned i = 0; i < 100; i++)
		note(a, 4000 * i, 4);
	r = judge(a);
	cr_assert_eq(r.datagrams, 400);
	cr_assert_eq(r.p50_us, 0);
	cr_assert_eq(r.p95_us, 4000);
	cr_assert_eq(r.rate_kbps, DATAGRAM * 8);
	cr_assert(r.df_us >= 3999 && r.df_us <= 4000, "%u", r.df_us);
}

Test(iat_in, ignores_datagrams_from_before_the_measuring)
{
	struct iat_in *a = iat_in_new(START);

	iat_in_note(a, &(struct arrival){ START, nothing, DATAGRAM,
					    DATAGRAM });
	note(a, 0, 1);
	cr_assert_eq(judge(a).gaps, 0);
}

Test(iat_in, compares_the_arrival_of_pcrs_with_their_values)
{
	struct build *b = build_new();
	struct iat_in *a = iat_in_new(START);
	struct iat_in_report r;

	/* one of fifty is 5 ms late; another PID is always right, and its
	 * clock has its own time */
	for (unsigned i = 0; i < 50; i++) {
		b->n = 0;
		build_pcr(b, 0x101, i * TICKS_PER_MS * 20);
		iat_in_note(a, &(struct arrival){
			BEGIN + (20 * i + (i == 25 ? 5 : 0)) * MS,
			build_packet(b, 0), TS_PACKET, TS_PACKET });
		b->n = 0;
		build_pcr(b, 0x201, 777 + i * TICKS_PER_MS * 20);
		iat_in_note(a, &(struct arrival){
			BEGIN + (20 * i + 6) * MS, build_packet(b, 0),
			TS_PACKET, TS_PACKET });
	}
	r = judge(a);
	cr_assert_eq(r.n_pcrs, 2);
	cr_assert_eq(r.pcrs[0].pid, 0x101);
	cr_assert(r.pcrs[0].jitter_us >= 4900 && r.pcrs[0].jitter_us <= 5100,
		  "%u", r.pcrs[0].jitter_us);
	cr_assert_eq(r.pcrs[1].pid, 0x201);
	cr_assert_leq(r.pcrs[1].jitter_us, 1);
	build_free(b);
}
