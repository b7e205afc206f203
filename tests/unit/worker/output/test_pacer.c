/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/output/pacer.h"

#include "common/base/util.h"

#include <criterion/criterion.h>

#define START (12345 * MS)

/* Numbers that look random and are the same in every run. */
static uint32_t next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* A stream that arrives irregularly, and its releases. */
struct flow {
	struct pacer pacer;
	uint64_t now_ns;
	uint64_t packet_ns; /* true duration of a packet */
	uint64_t arrived, left;
	size_t most;        /* in one release */
	size_t waited_most;
};

static struct flow flow_new(uint64_t bps, bool pcr)
{
	struct flow f = {
		.now_ns = START,
		.packet_ns = UINT64_C(1504) * 1000000000 / bps,
	};

	pacer_init(&f.pacer);
	if (pcr)
		pacer_hint(&f.pacer, bps);
	return f;
}

/* At now_ns the stream has arrived up to up_to_ns. */
static size_t flow_turn(struct flow *f, uint64_t now_ns, uint64_t up_to_ns)
{
	/* senders fill their datagrams */
	uint64_t due = (up_to_ns - START) / f->packet_ns / DATAGRAM_PACKETS *
		       DATAGRAM_PACKETS;
	size_t came = due > f->arrived ? (size_t)(due - f->arrived) : 0;

	f->now_ns = now_ns;
	pacer_arrived(&f->pacer, now_ns, came);
	f->arrived += came;

	size_t waiting = (size_t)(f->arrived - f->left);
	size_t n = pacer_release(&f->pacer, now_ns, waiting);

	cr_assert_leq(n, waiting);
	f->left += n;
	f->most = MAX(f->most, n);
	f->waited_most = MAX(f->waited_most, waiting - n);
	return n;
}

/* The rule:  10 ms of the stream and one datagram; `percent` is the tolerance
 * of the measured rate. */
static void assert_no_burst(const struct flow *f, size_t n, unsigned percent)
{
	double max = 10.0 * (double)MS / (double)f->packet_ns *
			     (1 + percent / 100.0) +
		     DATAGRAM_PACKETS;

	cr_assert_leq((double)n, max, "%zu packets at once, at most %.1f", n,
		      max);
}

static const uint64_t rates[] = { 64000, 300000, 2000000, 8000000, 50000000,
				  400000000 };

Test(pacer, sends_no_burst_after_late_wake_ups)
{
	for (size_t r = 0; r < ARRAY_LEN(rates); r++) {
		for (uint32_t seed = 1; seed <= 20; seed++) {
			struct flow f = flow_new(rates[r], true);
			uint32_t random = seed * 7919;
			uint64_t now = START;

			for (unsigned i = 0; i < 2000; i++) {
				/* mostly in time, sometimes far too late */
				uint32_t x = next_random(&random);
				uint64_t late = x % 50 == 0 ? x % 60 : x % 2;

				now += (8 + late) * MS;
				assert_no_burst(&f, flow_turn(&f, now, now),
						10);
			}
			cr_assert_lt(f.arrived - f.left,
				     60 * MS / f.packet_ns + 8,
				     "%llu packets still wait",
				     (unsigned long long)(f.arrived - f.left));
		}
	}
}

Test(pacer, sends_no_burst_for_a_bursty_input)
{
	for (size_t r = 0; r < ARRAY_LEN(rates); r++) {
		for (uint32_t seed = 1; seed <= 20; seed++) {
			struct flow f = flow_new(rates[r], true);
			uint32_t random = seed * 104729;
			uint64_t came_to = START, hold_to = START;

			for (uint64_t now = START; now < START + 8000 * MS;
			     now += 8 * MS) {
				/* up to 120 ms arrive at once */
				if (now >= hold_to) {
					came_to = now;
					hold_to = now +
						  next_random(&random) % 120 *
							  MS;
				}
				size_t n = flow_turn(&f, now, came_to);

				/* the bursts disturb the measured rate */
				assert_no_burst(&f, n, 40);
			}
		}
	}
}

Test(pacer, sends_no_burst_before_it_knows_the_rate)
{
	/* the first read has 400 ms of 8 Mbit/s with PCRs */
	struct flow f = flow_new(8000000, true);

	assert_no_burst(&f, flow_turn(&f, START, START + 400 * MS), 0);
	cr_assert_gt(f.left, 0);
}

Test(pacer, passes_a_steady_stream_without_a_queue)
{
	struct flow f = flow_new(8000000, false);
	uint64_t now = START;
	unsigned held = 0;

	for (unsigned i = 0; i < 1000; i++) {
		now += 9 * MS - 500000 + (i * 7919 % 1000) * 1000;
		(void)flow_turn(&f, now, now);
		held += f.arrived != f.left;
	}
	cr_assert_leq(f.waited_most, 4 * DATAGRAM_PACKETS);
	cr_assert_leq(held, 50, "%u of 1000 turns left something", held);
}

Test(pacer, empties_a_queue)
{
	struct flow f = flow_new(8000000, true);
	uint64_t now = START;

	/* two steady seconds, 300 ms without packets, then all at once */
	for (; now < START + 2000 * MS; now += 8 * MS)
		(void)flow_turn(&f, now, now);
	now += 300 * MS;

	uint64_t late = now;

	while (now < late + 1000 * MS) {
		assert_no_burst(&f, flow_turn(&f, now, now), 20);
		if (now > late && f.arrived == f.left)
			break;

		uint64_t next = pacer_next_ns(&f.pacer,
					      (size_t)(f.arrived - f.left));

		now = MIN(now + 8 * MS, MAX(next, now + MS));
	}
	cr_assert_eq(f.arrived, f.left);
	cr_assert_lt(now - late, 400 * MS);
}

Test(pacer, holds_a_partly_filled_datagram)
{
	struct pacer p;

	pacer_init(&p);
	pacer_arrived(&p, START, 3);
	cr_assert_eq(pacer_release(&p, START, 3), 0);
	cr_assert_eq(pacer_next_ns(&p, 3), START + PACER_HOLD_MS * MS);

	pacer_arrived(&p, START + 10 * MS, 4);
	cr_assert_eq(pacer_release(&p, START + 10 * MS, 7), 7);
	cr_assert_eq(pacer_next_ns(&p, 0), UINT64_MAX);
}

Test(pacer, sends_a_partly_filled_datagram_after_the_hold)
{
	struct pacer p;

	pacer_init(&p);
	pacer_arrived(&p, START, 10);
	cr_assert_eq(pacer_release(&p, START, 10), 7);
	cr_assert_eq(pacer_release(&p, START + 19 * MS, 3), 0);
	cr_assert_eq(pacer_release(&p, START + 20 * MS, 3), 3);

	/* the next partly filled datagram has its own hold */
	pacer_arrived(&p, START + 30 * MS, 2);
	cr_assert_eq(pacer_release(&p, START + 30 * MS, 2), 0);
	cr_assert_eq(pacer_release(&p, START + 49 * MS, 2), 0);
	cr_assert_eq(pacer_release(&p, START + 50 * MS, 2), 2);
}

Test(pacer, asks_for_a_call_in_time_while_packets_wait)
{
	struct flow f = flow_new(8000000, true);

	(void)flow_turn(&f, START, START + 200 * MS);

	size_t waiting = (size_t)(f.arrived - f.left);
	uint64_t next = pacer_next_ns(&f.pacer, waiting);

	cr_assert_gt(next, START);
	cr_assert_leq(next, START + 10 * MS);
	cr_assert_gt(pacer_release(&f.pacer, next, waiting), 0);
}

Test(pacer, sends_no_second_burst_after_the_first)
{
	struct flow f = flow_new(8000000, true);

	assert_no_burst(&f, flow_turn(&f, START, START + 400 * MS), 0);
	cr_assert_gt(f.left, 0);
	cr_assert_eq(flow_turn(&f, START, START + 400 * MS), 0);

	/* the bucket fills at most four times as fast as the clock */
	for (unsigned ms = 1; ms <= 20; ms++)
		(void)flow_turn(&f, START + ms * MS, START + 400 * MS);
	cr_assert_leq(f.left * f.packet_ns,
		      (10 + 4 * 20) * MS + DATAGRAM_PACKETS * f.packet_ns);
}

Test(pacer, bounds_the_queue_by_time)
{
	struct flow f = flow_new(40000000, true);

	(void)flow_turn(&f, START, START + 100 * MS);

	size_t second = (size_t)(1000 * MS / f.packet_ns);

	cr_assert_geq(pacer_queue_max(&f.pacer), second);
	cr_assert_leq(pacer_queue_max(&f.pacer), second + 100);
}

/* Wake-ups every 40 ms are enough. */
Test(pacer, keeps_up_with_late_wake_ups)
{
	struct flow f = flow_new(8000000, true);

	for (uint64_t now = START; now < START + 10000 * MS; now += 40 * MS)
		(void)flow_turn(&f, now, now);
	cr_assert_lt(f.arrived - f.left, pacer_queue_max(&f.pacer));
}

Test(pacer, keeps_the_rate_over_a_pause)
{
	struct flow f = flow_new(8000000, false);
	uint64_t now = START;

	for (; now < START + 3000 * MS; now += 8 * MS)
		(void)flow_turn(&f, now, now);
	cr_assert(pacer_is_settled(&f.pacer));

	uint64_t before = f.pacer.packet_ns;

	pacer_arrived(&f.pacer, now + 60000 * MS, 7);
	cr_assert_eq(f.pacer.packet_ns, before);
}
