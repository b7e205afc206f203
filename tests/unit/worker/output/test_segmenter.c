/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/output/segmenter_source.h"

#include <criterion/criterion.h>

Test(segmenter, begins_with_numbers_of_the_time)
{
	struct source c;

	source_init(&c, 3000);
	pass(&c, 100);
	cr_assert_eq(mark(&c, false, true), SEGMENTER_FIRST);
	cr_assert_eq(c.next.number, 1800000000);
	/* in 2027 */
	cr_assert_eq(c.next.base, (1800000000 - 1767225600) / 300);
	cr_assert_eq(c.next.wall_ms, WALL_MS + 100);
	cr_assert(c.next.independent);
	cr_assert_eq(c.next.pos, 100 * RING_PACKET);
}

Test(segmenter, cuts_at_the_first_join_point_after_the_duration)
{
	static const struct {
		unsigned gop_ms, duration_ms, segment_ms;
	} cases[] = {
		{ 1000, 3000, 3000 },
		{ 500, 3000, 3000 },
		{ 2000, 3000, 4000 },
		{ 960, 3000, 3840 },
		/* a little in front of the duration */
		{ 990, 3000, 2970 },
		{ 12000, 3000, 12000 },
		{ 1000, 1000, 1000 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct source c;
		unsigned ms = cases[i].gop_ms;

		source_init(&c, cases[i].duration_ms);
		/* the time of PCRs wraps, too */
		c.offset = PCR_WRAP - 5 * PCR_HZ;
		(void)mark(&c, false, true);
		while (c.cuts < 10) {
			uint64_t number = c.next.number, pos = c.next.pos;

			pass(&c, ms);
			if (mark(&c, false, true) != SEGMENTER_CUT)
				continue;
			cr_assert_eq(c.done.duration_ms, cases[i].segment_ms,
				     "%zu: %u", i, c.done.duration_ms);
			cr_assert_eq(c.done.number + 1, c.next.number);
			cr_assert_eq(c.done.end, c.next.pos);
			cr_assert_eq(c.done.base, c.next.base);
			if (c.cuts > 1)
				cr_assert(c.done.pos == pos &&
					  c.done.number == number);
			cr_assert_eq(c.next.wall_ms,
				     WALL_MS + (int64_t)c.ms);
		}
	}
}

Test(segmenter, measures_by_pcr_without_pts)
{
	struct source c;

	source_init(&c, 3000);
	(void)mark(&c, false, false);
	pass(&c, 3000);
	cr_assert_eq(mark(&c, false, false), SEGMENTER_CUT);
	/* as exact as the distance of two PCRs */
	cr_assert_geq(c.done.duration_ms, 2940);
	cr_assert_leq(c.done.duration_ms, 3000);
}

Test(segmenter, measures_by_arrival_without_pcr)
{
	struct source c;

	source_init(&c, 3000);
	(void)mark(&c, false, false);
	for (unsigned ms = 0; ms < 4000; ms += 10) {
		c.now_ns += 10 * MS;
		c.pos += RING_PACKET;
		segmenter_time(&c.s, c.now_ns);
	}
	cr_assert_eq(mark(&c, false, false), SEGMENTER_CUT);
	cr_assert_geq(c.done.duration_ms, 2900);
	cr_assert_leq(c.done.duration_ms, 4100);
}

Test(segmenter, does_not_depend_on_the_time_of_arrival)
{
	struct source c;

	source_init(&c, 3000);
	(void)mark(&c, false, true);
	pass(&c, 1000);
	/* a stall, and then all packets at once */
	c.now_ns += 10 * SECOND_NS;
	for (unsigned i = 0; i < 50; i++) {
		c.ms += 40;
		c.pos += RING_PACKET;
		cr_assert_not(segmenter_pcr(&c.s, c.ms * PCR_HZ / 1000, false,
					    c.now_ns, &c.done));
		segmenter_time(&c.s, c.now_ns);
	}
	cr_assert_eq(mark(&c, false, true), SEGMENTER_CUT);
	cr_assert_eq(c.done.duration_ms, 3000);
}

Test(segmenter, a_jump_of_the_time_begins_another_base)
{
	static const int64_t jumps_ms[] = { -3600000, -100, 10000, 3600000 };

	for (size_t i = 0; i < ARRAY_LEN(jumps_ms); i++) {
		struct source c;

		source_init(&c, 3000);
		c.offset = 7200 * PCR_HZ;
		(void)mark(&c, false, true);
		pass(&c, 1500);
		c.offset += (uint64_t)(jumps_ms[i] * (int64_t)(PCR_HZ / 1000));
		pass(&c, 100);
		cr_assert_eq(mark(&c, false, true), SEGMENTER_CUT, "%zu", i);
		cr_assert_eq(c.next.base, c.done.base + 1);
		cr_assert_geq(c.done.duration_ms, 1400);
		cr_assert_leq(c.done.duration_ms, 1600);
		pass(&c, 3000);
		cr_assert_eq(mark(&c, false, true), SEGMENTER_CUT);
		cr_assert_eq(c.next.base, c.done.base);
		cr_assert_eq(c.done.duration_ms, 3000);
	}
}

Test(segmenter, a_change_of_the_tracks_ends_a_segment_at_once)
{
	struct source c;

	source_init(&c, 3000);
	(void)mark(&c, false, true);
	pass(&c, 3000);
	cr_assert_eq(mark(&c, false, true), SEGMENTER_CUT);
	pass(&c, 400);
	cr_assert_not(segmenter_is_overdue(&c.s, c.pos));
	segmenter_change(&c.s, WALL_MS + (int64_t)c.ms, c.now_ns);
	cr_assert(segmenter_is_overdue(&c.s, c.pos));
	cr_assert_eq(mark(&c, true, true), SEGMENTER_CUT);
	cr_assert_eq(c.next.base, c.done.base + 1);
	cr_assert_eq(c.done.duration_ms, 400);
	cr_assert_not(segmenter_is_overdue(&c.s, c.pos));
	pass(&c, 3000);
	cr_assert_eq(mark(&c, false, true), SEGMENTER_CUT);
	cr_assert_eq(c.next.base, c.done.base);
}

Test(segmenter, tracks_that_always_change_raise_no_number_above_the_time)
{
	struct source c;

	source_init(&c, 3000);
	(void)mark(&c, false, true);
	for (unsigned i = 0; i < 300; i++) {
		pass(&c, 100);
		segmenter_change(&c.s, WALL_MS + (int64_t)c.ms, c.now_ns);
		(void)mark(&c, false, true);
		cr_assert_leq(c.next.number, (WALL_MS + c.ms) / 1000);
	}
	cr_assert_geq(c.cuts, 25);
}

/* Two sources that send to the same address. */
Test(segmenter, tracks_that_always_change_end_a_segment_a_second)
{
	struct source c;

	source_init(&c, 3000);
	(void)mark(&c, false, true);
	/* the number is far below the time then */
	for (unsigned i = 0; i < 100; i++) {
		pass(&c, 3000);
		cr_assert_eq(mark(&c, false, true), SEGMENTER_CUT);
	}
	c.cuts = 0;
	for (unsigned i = 0; i < 300; i++) {
		pass(&c, 100);
		segmenter_change(&c.s, WALL_MS + (int64_t)c.ms, c.now_ns);
		if (segmenter_is_overdue(&c.s, c.pos))
			(void)mark(&c, true, false);
		cr_assert_leq(c.cuts, 1 + (i + 1) / 10);
	}
	cr_assert_geq(c.cuts, 25);
}

Test(segmenter, a_segment_that_a_change_ends_has_its_own_length)
{
	struct source c;

	source_init(&c, 3000);
	(void)mark(&c, false, true);
	pass(&c, 3000);
	cr_assert_eq(mark(&c, false, true), SEGMENTER_CUT);
	/* without a PCR */
	c.pos += RING_PACKET;
	segmenter_change(&c.s, WALL_MS + (int64_t)c.ms, c.now_ns);
	cr_assert_eq(mark(&c, true, false), SEGMENTER_CUT);
	cr_assert_eq(c.done.duration_ms, 1);
}

Test(segmenter, segments_are_a_second_apart_for_their_numbers)
{
	struct source c;

	source_init(&c, 3000);
	c.offset = 7200 * PCR_HZ;
	(void)mark(&c, false, true);
	for (unsigned i = 0; i < 100; i++) {
		c.offset -= PCR_HZ;
		pass(&c, 100);
		(void)mark(&c, false, true);
	}
	cr_assert_leq(c.cuts, 10);
	cr_assert_geq(c.cuts, 5);
}

Test(segmenter, a_long_segment_is_overdue)
{
	struct source c;

	source_init(&c, 3000);
	(void)mark(&c, false, true);
	pass(&c, 19900);
	cr_assert_not(segmenter_is_overdue(&c.s, c.pos));
	pass(&c, 200);
	cr_assert(segmenter_is_overdue(&c.s, c.pos));
	cr_assert_eq(mark(&c, true, false), SEGMENTER_CUT);
	cr_assert_not(c.next.independent);
	cr_assert_not(segmenter_is_overdue(&c.s, c.pos));

	/* also one of too many bytes */
	cr_assert(segmenter_is_overdue(&c.s, c.pos + BYTES_MAX));
}

Test(segmenter, a_successor_without_a_hole_continues_the_segment)
{
	struct source c;
	struct ring_segment open;

	source_init(&c, 3000);
	(void)mark(&c, false, true);
	pass(&c, 1000);
	open = c.next;
	open.duration_ms = 1000;
	/* 0.5 s later another process continues */
	c.ms += 500;
	segmenter_init(&c.s, 3000, BYTES_MAX, &open, c.pos);
	pass(&c, 1500);
	cr_assert_eq(mark(&c, false, true), SEGMENTER_CUT);
	cr_assert_eq(c.done.number, open.number);
	cr_assert_eq(c.done.pos, open.pos);
	cr_assert_eq(c.next.base, c.done.base);
	cr_assert_eq(c.done.duration_ms, 3000);
	cr_assert_not(c.done.stopped);
	cr_assert_eq(c.holes, 0);
}

/* The end of the segment is what the successor knows. */
static void expect_stop(const struct source *c, uint64_t pos, uint32_t ms)
{
	cr_assert(c->done.stopped);
	cr_assert_eq(c->done.end, pos);
	cr_assert_eq(c->done.duration_ms, ms);
}

Test(segmenter, an_outage_of_the_writer_is_no_time_of_its_segment)
{
	struct source c;
	struct ring_segment open;
	uint64_t pos;

	source_init(&c, 3000);
	(void)mark(&c, false, true);
	pass(&c, 1000);
	open = c.next;
	open.duration_ms = 1000;
	/* 30 s later another process continues */
	c.ms += 30000;
	pos = c.pos;
	segmenter_init(&c.s, 3000, BYTES_MAX, &open, c.pos);
	pass(&c, 1000);
	cr_assert_eq(c.holes, 1);
	expect_stop(&c, pos, 1000);
	cr_assert_eq(mark(&c, false, true), SEGMENTER_FIRST);
	cr_assert_eq(c.next.number, open.number + 1);
	cr_assert_eq(c.next.base, open.base + 1);
	cr_assert_eq(c.next.pos, c.pos);
	cr_assert_eq(c.next.wall_ms, WALL_MS + (int64_t)c.ms);
}

Test(segmenter, a_successor_continues_the_numbers_behind_a_stop)
{
	struct source c;
	struct ring_segment last;

	source_init(&c, 3000);
	(void)mark(&c, false, true);
	pass(&c, 1000);
	cr_assert(segmenter_idle(&c.s, c.pos, 1000, &last));
	c.ms += 30000;
	segmenter_init(&c.s, 3000, BYTES_MAX, &last, c.pos);
	pass(&c, 100);
	cr_assert_eq(mark(&c, false, true), SEGMENTER_FIRST);
	cr_assert_eq(c.next.number, last.number + 1);
	cr_assert_eq(c.next.base, last.base + 1);
}

Test(segmenter, an_outage_ends_the_segment_while_the_stream_is_silent)
{
	struct source c;
	struct ring_segment last;
	uint64_t pos;

	source_init(&c, 3000);
	(void)mark(&c, false, true);
	pass(&c, 3000);
	(void)mark(&c, false, true);
	pass(&c, 1200);
	pos = c.pos;
	cr_assert_eq(segmenter_idle_ms(&c.s), 3000);
	cr_assert(segmenter_idle(&c.s, c.pos, 1200, &c.done));
	expect_stop(&c, pos, 1200);
	last = c.done;
	cr_assert_not(segmenter_idle(&c.s, c.pos, 1200, &c.done), "once");
	be_silent(&c, 20000);
	segmenter_pause(&c.s, c.pos, 1200, c.now_ns);
	/* the rest of a group of pictures is in no segment */
	pass(&c, 500);
	cr_assert_not(segmenter_is_overdue(&c.s, c.pos));
	cr_assert_eq(mark(&c, false, true), SEGMENTER_FIRST);
	cr_assert_eq(c.next.number, last.number + 1);
	cr_assert_eq(c.next.base, last.base + 1);
	cr_assert_eq(c.next.wall_ms, WALL_MS + (int64_t)c.ms);
	cr_assert(c.next.independent);
	pass(&c, 3000);
	cr_assert_eq(mark(&c, false, true), SEGMENTER_CUT);
	cr_assert_eq(c.done.duration_ms, 3000);
	cr_assert_eq(c.next.base, c.done.base);
}

Test(segmenter, an_outage_that_lacks_nothing_is_no_other_base)
{
	struct source c;

	source_init(&c, 3000);
	(void)mark(&c, false, true);
	pass(&c, 1000);
	cr_assert(segmenter_idle(&c.s, c.pos, 1000, &c.done));
	c.now_ns += 5 * SECOND_NS;
	segmenter_pause(&c.s, c.pos, 1000, c.now_ns);
	cr_assert_eq(mark(&c, false, true), SEGMENTER_FIRST);
	cr_assert_eq(c.next.base, c.done.base);
	cr_assert_eq(c.next.number, c.done.number + 1);
}

/* As by UDP, or by TCP. */
Test(segmenter, a_pause_is_a_hole_if_its_time_is_lacking)
{
	for (unsigned lost = 0; lost <= 1; lost++) {
		struct source c;
		uint64_t pos;

		source_init(&c, 3000);
		(void)mark(&c, false, true);
		pass(&c, 1000);
		pos = c.pos;
		if (lost)
			be_silent(&c, 1800);
		else
			c.now_ns += 1800 * MS;
		segmenter_pause(&c.s, c.pos, 1000, c.now_ns);
		pass(&c, 200);
		cr_assert_eq(c.holes, lost);
		if (lost) {
			expect_stop(&c, pos, 1000);
			cr_assert_eq(mark(&c, false, true), SEGMENTER_FIRST);
			cr_assert_eq(c.next.base, c.done.base + 1);
			continue;
		}
		pass(&c, 1800);
		cr_assert_eq(mark(&c, false, true), SEGMENTER_CUT);
		cr_assert_eq(c.done.duration_ms, 3000);
		cr_assert_eq(c.next.base, c.done.base);
	}
}

Test(segmenter, a_hole_shows_at_a_picture_in_front_of_the_pcr)
{
	struct source c;
	uint64_t pos;

	source_init(&c, 3000);
	(void)mark(&c, false, true);
	pass(&c, 1000);
	pos = c.pos;
	be_silent(&c, 1500);
	segmenter_pause(&c.s, c.pos, 1000, c.now_ns);
	c.pos += RING_PACKET;
	cr_assert_eq(mark(&c, false, true), SEGMENTER_CUT);
	expect_stop(&c, pos, 1000);
	cr_assert_eq(c.next.pos, c.pos);
	cr_assert_eq(c.next.base, c.done.base + 1);
}

Test(segmenter, a_successor_with_another_clock_begins_another_base)
{
	struct source c;
	struct ring_segment open;

	source_init(&c, 3000);
	(void)mark(&c, false, true);
	pass(&c, 1000);
	open = c.next;
	segmenter_init(&c.s, 3000, BYTES_MAX, &open, c.pos);
	c.offset = 3600 * PCR_HZ;
	pass(&c, 100);
	cr_assert_eq(mark(&c, false, true), SEGMENTER_CUT);
	cr_assert_eq(c.next.number, open.number + 1);
	cr_assert_eq(c.next.base, open.base + 1);
	cr_assert_gt(c.done.duration_ms, 0);
}

Test(segmenter, a_clock_of_the_host_that_is_set_back_changes_no_number)
{
	struct source c;
	struct ring_rap rap;

	source_init(&c, 3000);
	(void)mark(&c, false, true);
	pass(&c, 3000);
	rap = (struct ring_rap){ .pos = c.pos, .pts = c.ms * 90 + 90001,
				 .wall_ms = 1000 };
	cr_assert_eq(segmenter_mark(&c.s, &rap, c.now_ns, &c.done, &c.next),
		     SEGMENTER_CUT);
	cr_assert_eq(c.next.number, 1800000001);
	cr_assert_eq(c.next.wall_ms, 1000, "dates follow the host");
}

Test(segmenter, makes_no_segments_unless_asked)
{
	struct source c;

	source_init(&c, 0);
	cr_assert_eq(mark(&c, false, true), SEGMENTER_NONE);
	pass(&c, 30000);
	cr_assert_not(segmenter_is_overdue(&c.s, c.pos));
}
