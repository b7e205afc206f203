/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The target duration of a playlist, and a source that is late. */
#include "tests/unit/worker/output/segmenter_source.h"

#include <criterion/criterion.h>

/* The first segment has decided the target. */
static void begin_limited(struct source *c, unsigned target_s)
{
	source_init(c, 3000);
	(void)mark(c, false, true);
	pass(c, 1000);
	(void)mark(c, false, true);
	pass(c, 1000);
	(void)mark(c, false, true);
	pass(c, 1000);
	cr_assert_eq(mark(c, false, true), SEGMENTER_CUT);
	segmenter_limit(&c->s, target_s);
}

Test(segmenter_target, no_segment_is_longer_than_the_target)
{
	struct source c;

	begin_limited(&c, 3);
	/* a longer group of pictures */
	pass(&c, 3200);
	cr_assert_not(segmenter_is_overdue(&c.s, c.pos));
	pass(&c, 160);
	cr_assert(segmenter_is_overdue(&c.s, c.pos));
	cr_assert_eq(mark(&c, true, true), SEGMENTER_CUT);
	cr_assert_eq(c.done.duration_ms, 3360);
	cr_assert_not(c.next.independent);
	cr_assert_eq(c.next.base, c.done.base);
	/* its rest ends with it */
	pass(&c, 640);
	cr_assert_eq(mark(&c, true, true), SEGMENTER_NONE);
	cr_assert_eq(mark(&c, false, true), SEGMENTER_CUT);
	cr_assert_eq(c.done.duration_ms, 640);
	cr_assert(c.next.independent);
}

Test(segmenter_target, the_last_join_point_in_front_of_the_target_is_taken)
{
	static const unsigned targets_s[] = { 3, 4 };

	for (size_t i = 0; i < ARRAY_LEN(targets_s); i++) {
		struct source c;

		begin_limited(&c, targets_s[i]);
		pass(&c, 1300);
		cr_assert_eq(mark(&c, false, true), SEGMENTER_NONE);
		pass(&c, 1300);
		/* the next one is likely to come at 3.9 seconds */
		cr_assert_eq(mark(&c, false, true), i == 0 ? SEGMENTER_CUT
							   : SEGMENTER_NONE);
		if (i == 0) {
			cr_assert_eq(c.done.duration_ms, 2600);
			cr_assert(c.next.independent);
		}
	}
}

/* Its last picture is incomplete. */
static void stop_early(struct source *c)
{
	source_init(c, 3000);
	(void)mark(c, false, true);
	pass(c, 3000);
	(void)mark(c, false, true);
	pass(c, 1240);
	cr_assert(segmenter_idle(&c->s, c->pos - 40 * RING_PACKET, 1200,
				 &c->done));
	c->now_ns += 5 * SECOND_NS;
	segmenter_pause(&c->s, c->pos, 1200, c->now_ns);
}

Test(segmenter_resume, a_source_that_was_late_goes_on)
{
	struct source c;
	struct ring_segment last;

	stop_early(&c);
	last = c.done;
	pass(&c, 40);
	cr_assert(segmenter_resume(&c.s, c.now_ns, &c.next));
	cr_assert_eq(c.next.pos, last.end);
	cr_assert_eq(c.next.number, last.number + 1);
	cr_assert_eq(c.next.base, last.base);
	cr_assert_eq(c.next.wall_ms, last.wall_ms + 1200);
	cr_assert_not(c.next.independent);
	cr_assert_not(segmenter_resume(&c.s, c.now_ns, &c.next), "once");
	/* up to the next join point; what was late has its own dates */
	c.ms += 700;
	c.pos += 700 * RING_PACKET;
	cr_assert_eq(mark(&c, false, true), SEGMENTER_CUT);
	cr_assert_eq(c.done.duration_ms, 780);
	cr_assert_eq(c.next.wall_ms, last.wall_ms + 1980);
	cr_assert_eq(c.next.base, last.base);
}

Test(segmenter_resume, an_outage_that_lacks_something_is_no_delay)
{
	for (unsigned i = 0; i < 3; i++) {
		struct source c;

		stop_early(&c);
		if (i == 0)
			be_silent(&c, 1500);
		else if (i == 1)
			c.offset += 3600 * PCR_HZ;
		else
			segmenter_change(&c.s, WALL_MS, c.now_ns);
		pass(&c, 40);
		cr_assert_not(segmenter_resume(&c.s, c.now_ns, &c.next), "%u",
			      i);
		cr_assert_eq(mark(&c, false, true), SEGMENTER_FIRST);
		cr_assert_eq(c.next.base, c.done.base + 1);
	}
}
