/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/part_cut.h"

#include <criterion/criterion.h>

#define TICKS(ms) ((ms) * UINT64_C(27000))

Test(part_cut, parts_are_a_little_shorter_than_their_target)
{
	struct part_cut c;
	struct ring_segment s = { .number = 7, .pos = 1880,
				  .independent = true };
	struct ring_part p;
	uint64_t sum = 0, pos = s.pos;
	unsigned n = 0;

	part_cut_init(&c, 500);
	part_cut_begin(&c, &s);
	/* a picture each 40 ms */
	for (unsigned ms = 0; ms < 3000; ms += 40) {
		part_cut_look(&c, TICKS(ms));
		if (c.due)
			part_cut_at(&c, 1880 + ms * 188, TICKS(ms));
		if (!part_cut_take(&c, &p))
			continue;
		cr_assert_eq(p.number, 7);
		cr_assert_eq(p.index, n++);
		cr_assert_eq(p.pos, pos);
		cr_assert_eq(p.independent, n == 1);
		cr_assert_leq(p.duration_ms, 500);
		cr_assert_geq(p.duration_ms, 425);
		pos = p.end;
		sum += p.duration_ms;
	}
	cr_assert_eq(n, 6);
	s.end = 1880 + 3000 * 188;
	s.duration_ms = 3000;
	cr_assert(part_cut_end(&c, &s, &p));
	cr_assert_eq(p.index, n);
	cr_assert_eq(p.pos, pos);
	cr_assert_eq(p.end, s.end);
	cr_assert_eq(sum + p.duration_ms, 3000);
}

Test(part_cut, a_segment_that_ends_with_a_part_has_no_other)
{
	struct part_cut c;
	struct ring_segment s = { .number = 7, .pos = 0 };
	struct ring_part p;

	part_cut_init(&c, 500);
	part_cut_begin(&c, &s);
	part_cut_look(&c, TICKS(480));
	part_cut_at(&c, 18800, TICKS(480));
	cr_assert(part_cut_take(&c, &p));
	cr_assert_not(part_cut_take(&c, &p));
	s.end = 18800;
	s.duration_ms = 480;
	cr_assert_not(part_cut_end(&c, &s, &p));
}

Test(part_cut, another_process_begins_with_the_next_segment)
{
	struct part_cut c;
	struct ring_segment s = { .number = 7, .end = 1880,
				  .duration_ms = 3000 };
	struct ring_part p;

	part_cut_init(&c, 500);
	part_cut_look(&c, TICKS(1000));
	cr_assert_not(c.due);
	cr_assert_not(part_cut_end(&c, &s, &p));
}

Test(part_cut, makes_no_parts_unless_asked)
{
	struct part_cut c;
	struct ring_segment s = { .number = 7 };
	struct ring_part p;

	part_cut_init(&c, 0);
	part_cut_begin(&c, &s);
	part_cut_look(&c, TICKS(1000));
	cr_assert_not(c.due);
	s.end = 1880;
	cr_assert_not(part_cut_end(&c, &s, &p));
}
