/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checker of the bench finds each fault that is planted. */
#include "tests/bench/check_stream.h"
#include "tests/bench/tsmaker.h"

#include <criterion/criterion.h>
#include <string.h>

enum {
	PER_DATAGRAM = 7,
	DATAGRAM = PER_DATAGRAM * TSMAKER_PACKET,
	DATAGRAMS = 400,
	RATE_BPS = 8000000,
	STEP_NS = 1316000,
	LATENCY_NS = 5000000,
};

struct fixture {
	struct check_stream stream;
	struct check_totals totals;
	uint64_t stamps[DATAGRAMS]; /* of video packets in each datagram */
	uint64_t total;
	uint8_t data[DATAGRAMS][DATAGRAM];
};

static struct fixture f;

static void make(void)
{
	struct tsmaker maker;

	memset(&f, 0, sizeof f);
	tsmaker_init(&maker, RATE_BPS);
	for (unsigned i = 0; i < DATAGRAMS; i++) {
		uint64_t before = maker.seq;

		for (unsigned j = 0; j < PER_DATAGRAM; j++)
			tsmaker_next(&maker, (uint64_t)i * STEP_NS,
				     f.data[i] + j * TSMAKER_PACKET);
		f.stamps[i] = maker.seq - before;
	}
	f.total = maker.seq;
}

static void feed_at(unsigned i, uint64_t at_ns)
{
	check_datagram(&f.stream, &f.totals, f.data[i], DATAGRAM, at_ns);
}

static void feed(unsigned i)
{
	feed_at(i, (uint64_t)i * STEP_NS + LATENCY_NS);
}

TestSuite(check_stream, .init = make);

Test(check_stream, finds_no_fault_in_a_whole_stream)
{
	for (unsigned i = 0; i < DATAGRAMS; i++)
		feed(i);
	cr_assert_eq(f.stream.stamped, f.total);
	cr_assert_eq(f.stream.next, f.total);
	cr_assert_eq(f.stream.lost, 0);
	cr_assert_eq(f.stream.duplicated, 0);
	cr_assert_eq(f.stream.reordered, 0);
	cr_assert_eq(f.stream.cc_errors, 0);
	cr_assert_eq(f.stream.broken, 0);
	cr_assert_eq(f.stream.packets, (uint64_t)DATAGRAMS * PER_DATAGRAM);
}

Test(check_stream, counts_each_lost_packet)
{
	uint64_t gone = f.stamps[100] + f.stamps[101] + f.stamps[300];

	for (unsigned i = 0; i < DATAGRAMS; i++)
		if (i != 100 && i != 101 && i != 300)
			feed(i);
	cr_assert_eq(f.stream.lost, gone);
	cr_assert_eq(f.stream.stamped, f.total - gone);
	cr_assert_geq(f.stream.cc_errors, 2);
}

Test(check_stream, distinguishes_a_swap_from_a_loss)
{
	for (unsigned i = 0; i < DATAGRAMS; i++)
		feed(i == 200 ? 201 : i == 201 ? 200 : i);
	cr_assert_eq(f.stream.lost, 0);
	cr_assert_eq(f.stream.reordered, f.stamps[200]);
	cr_assert_eq(f.stream.duplicated, 0);
	cr_assert_gt(f.stream.cc_errors, 0);
}

Test(check_stream, counts_each_doubled_packet)
{
	for (unsigned i = 0; i < DATAGRAMS; i++) {
		feed(i);
		if (i == 50)
			feed(i);
	}
	cr_assert_eq(f.stream.duplicated, f.stamps[50]);
	cr_assert_eq(f.stream.lost, 0);
	cr_assert_eq(f.stream.stamped, f.total);
}

Test(check_stream, detects_one_flipped_continuity_counter)
{
	f.data[120][3 * TSMAKER_PACKET + 3] ^= 0x04;
	for (unsigned i = 0; i < DATAGRAMS; i++)
		feed(i);
	/* the step into the wrong value and the step out of it */
	cr_assert_eq(f.stream.cc_errors, 2);
	cr_assert_eq(f.stream.lost, 0);
}

Test(check_stream, counts_bytes_that_are_not_ts)
{
	f.data[10][TSMAKER_PACKET] = 0;
	feed(10);
	check_datagram(&f.stream, &f.totals, f.data[11], DATAGRAM - 1, 0);
	cr_assert_eq(f.stream.broken, 2);
}

Test(check_stream, measures_the_delay)
{
	for (unsigned i = 0; i < DATAGRAMS; i++)
		feed(i);
	cr_assert_eq(f.totals.latency_us.max, LATENCY_NS / 1000);
	cr_assert_geq(histogram_permille(&f.totals.latency_us, 500),
		      LATENCY_NS / 1000 * 98 / 100);
}

Test(check_stream, measures_bursts)
{
	for (unsigned i = 0; i < 20; i++)
		feed_at(i, 0);
	feed_at(20, 1000000);
	cr_assert_eq(f.totals.burst_bytes.max, 20 * DATAGRAM);
	cr_assert_eq(f.stream.burst_bytes, DATAGRAM);
}

Test(check_stream, gives_percentiles_within_three_per_cent)
{
	static struct histogram h;

	for (uint64_t i = 1; i <= 100000; i++)
		histogram_add(&h, i);
	for (unsigned permille = 1; permille <= 1000; permille++) {
		uint64_t got = histogram_permille(&h, permille);
		uint64_t exact = permille * 100;

		cr_assert(got >= exact && got <= exact + exact / 32 + 1,
			  "%u permille: %lu, not %lu", permille, got, exact);
	}
}
