/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workers that the machine stops: the positions of that time, and the units. */
#include "tests/unit/worker/output/cbr_stall_rig.h"

/* The process does not run for this time, and finds all packets of it. */
static void stop(struct bench *b, unsigned ms)
{
	b->least_ms = INFINITY;
	b->most_ms = -INFINITY;
	b->now_ns += ms * MS;
	for (unsigned done = 0; done < ms; done += 50) {
		b->clock_ms += 50;
		feed(b);
	}
	play(b, 1500);
}

Test(cbr_late, a_stopped_worker_sends_each_unit_in_its_time)
{
	for (unsigned ms = 100; ms < 1000; ms += 50) {
		struct bench *b = bench_new();

		play(b, 9000);
		stop(b, ms);
		cr_expect_eq(b->jumps, 0, "%u ms: %u", ms, b->jumps);
		judge_leads(b, 60, 60);
		bench_free(b);
	}
}

/* Beyond a second the oldest packets are dropped. */
Test(cbr_late, a_worker_that_was_stopped_for_long_announces_one_step)
{
	for (unsigned ms = 1200; ms <= 8000; ms += ms < 3000 ? 200 : 1000) {
		struct bench *b = bench_new();
		struct cbr_counters c;

		play(b, 9000);
		stop(b, ms);
		cr_expect_eq(b->jumps, 1, "%u ms: %u", ms, b->jumps);
		/* the queue has no room for more than two seconds; if all of
		 * it is late, the next packets leave at positions of the last
		 * second */
		judge_leads(b, ms <= 2000 ? 100 : 500, ms <= 3000 ? 100 : 1000);
		cbr_counters(b->cbr, &c);
		cr_expect_gt(c.late, 0u);
		cr_expect(ms > 2000 || c.overflow == 0);
		bench_free(b);
	}
}

/* A few positions are not skipped: the PCRs would step without a word. */
Test(cbr_late, skips_no_position_without_an_announcement)
{
	for (unsigned ms = 950; ms <= 1200; ms += 10) {
		struct bench *b = bench_new();

		play(b, 9000);
		stop(b, ms);
		cr_expect_leq(b->apart_ms, 40., "%u ms: %.1f ms", ms,
			      b->apart_ms);
		cr_expect_eq(b->jumps, ms > 1080, "%u ms: %u", ms, b->jumps);
		bench_free(b);
	}
}

/* The queue leaves first: the packets of the time arrive later. */
Test(cbr_late, a_worker_that_was_stopped_with_a_queue_announces_one_step)
{
	for (unsigned ms = 1500; ms <= 8000; ms += 500) {
		struct bench *b = bench_new();

		play(b, 9000);
		b->clock_ms += 200;
		feed(b);
		cr_assert_gt(cbr_waiting(b->cbr), 0u);
		b->now_ns += ms * MS;
		cbr_run(b->cbr, b->now_ns, take, b);
		/* those beyond a second got lost */
		set_clock(b, b->clock_ms - 200 + ms);
		play(b, 1500);
		cr_expect_eq(b->jumps, 1, "%u ms: %u", ms, b->jumps);
		bench_free(b);
	}
}

/* The packets of a file are not late: they have not been read. */
Test(cbr_late, a_stopped_worker_drops_no_packet_of_a_source_that_it_paces)
{
	struct bench *b = bench_new();
	struct cbr_counters c;

	play(b, 9000);
	b->now_ns += 3000 * MS;
	/* a sound, and a picture with a PCR */
	b->clock_ms += UNIT_MS;
	feed(b);
	play(b, 3000);
	cbr_counters(b->cbr, &c);
	cr_expect_eq(c.late, 0u);
	bench_free(b);
}
