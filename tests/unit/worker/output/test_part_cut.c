/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/part_cut.h"

#include "worker/output/unit_time.h"

#include <criterion/criterion.h>

enum { PARTS_MAX = 256 };

/* A stream of pictures, each of 1,000 packets. */
struct source {
	struct part_cut cut;
	struct unit_time time;
	struct ring_segment segment;
	uint64_t dts, pos;
	struct ring_part parts[PARTS_MAX];
	size_t n;
};

static void init(struct part_cut *c, unsigned part_ms, unsigned target_ms)
{
	part_cut_init(c, &(struct part_cut_config){
		.part_ms = part_ms, .segment_ms = 10000,
		.target_ms = target_ms,
	});
}

static void source_init(struct source *s, unsigned part_ms)
{
	*s = (struct source){ .segment = { .number = 7, .pos = 1880,
					   .independent = true },
			      .pos = 1880, .dts = 90000 };
	init(&s->cut, part_ms, 0);
	unit_time_next(&s->time, &s->dts, 0);
	part_cut_begin(&s->cut, &s->segment);
	unit_time_begin(&s->time, 0, true);
}

static void add(struct source *s, bool ended)
{
	cr_assert_lt(s->n, PARTS_MAX);
	s->n += ended;
}

/* The next picture begins after so many ticks. */
static void step(struct source *s, uint64_t ticks, bool independent)
{
	s->dts += ticks;
	s->pos += UINT64_C(188000);
	unit_time_next(&s->time, &s->dts, 0);
	add(s, part_cut_late(&s->cut, &s->time, &s->parts[s->n]));
	add(s, part_cut_at(&s->cut, s->pos, &s->time, independent,
			   &s->parts[s->n]));
}

/* The segment ends at the last picture. */
static void end(struct source *s)
{
	s->segment.end = s->pos;
	add(s, part_cut_end(&s->cut, &s->segment, s->time.at, &s->time,
			    &s->parts[s->n]));
}

/* The parts are the segment, and as long as they say. */
static void check(const struct source *s, uint64_t picture, unsigned least)
{
	unsigned target = part_cut_target_ms(&s->cut);
	uint64_t pos = s->segment.pos, sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct ring_part *p = &s->parts[i];
		uint64_t ticks = (p->end - p->pos) / 188000 * picture;

		cr_assert_eq(p->number, 7);
		cr_assert_eq(p->index, i);
		cr_assert_eq(p->pos, pos);
		cr_assert_leq(p->duration_ms, target);
		cr_assert(i + 1 == s->n || p->duration_ms >= least,
			  "part %zu of %u ms", i, p->duration_ms);
		cr_assert_leq(p->duration_ms, ticks / 90 + 1);
		cr_assert_geq(p->duration_ms + 1, ticks / 90);
		pos = p->end;
		sum += p->duration_ms;
	}
	cr_assert_eq(pos, s->segment.end);
	cr_assert_leq(sum, (s->time.at + 45) / 90);
	cr_assert_geq(sum, s->time.at / 90);
}

Test(part_cut, no_part_exceeds_its_target_and_each_has_most_of_it)
{
	static const struct {
		unsigned part_ms;
		uint64_t picture;
		unsigned target_ms;
	} cases[] = {
		{ 500, 3600, 500 },   /* 25 pictures a second */
		{ 200, 3600, 200 },
		{ 500, 1800, 500 },
		{ 333, 3003, 333 },   /* 30000/1001 */
		{ 1000, 3600, 1000 },
		{ 2000, 7200, 2000 },
		/* no number of pictures has 85 % */
		{ 200, 3003, 186 },
		{ 200, 3750, 186 },   /* 24 */
		{ 300, 15360, 190 },  /* eight frames of AAC */
		{ 500, 15360, 380 },
		{ 500, 22500, 500 },
		/* one picture is longer */
		{ 200, 45000, 500 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct source s;
		unsigned target = cases[i].target_ms;

		source_init(&s, cases[i].part_ms);
		for (unsigned k = 0; k < 6 * 90000 / cases[i].picture; k++)
			step(&s, cases[i].picture, false);
		end(&s);
		check(&s, cases[i].picture, target * 85 / 100);
		cr_assert_eq(part_cut_target_ms(&s.cut), target, "%zu: %u", i,
			     part_cut_target_ms(&s.cut));
		cr_assert(s.parts[0].independent);
		cr_assert_not(s.parts[1].independent);
	}
}

Test(part_cut, pictures_that_last_longer_end_the_part_in_front_of_them)
{
	struct source s;

	source_init(&s, 500);
	for (unsigned i = 0; i < 8; i++)
		step(&s, 3600, false);
	cr_assert_eq(s.n, 0);
	/* 320 ms, and a picture of 300 ms */
	step(&s, 27000, false);
	cr_assert_eq(s.n, 1);
	for (unsigned i = 0; i < 6; i++)
		step(&s, 3600, false);
	cr_assert_eq(s.n, 2);
	cr_assert_eq(s.parts[0].duration_ms, 280 + 40);
	cr_assert_eq(s.parts[1].duration_ms, 500);
	cr_assert_eq(s.parts[1].pos, s.parts[0].end);
	cr_assert_eq(part_cut_target_ms(&s.cut), 500);
}

Test(part_cut, a_hole_is_no_length_of_a_part)
{
	struct source s;

	source_init(&s, 500);
	for (unsigned i = 0; i < 3; i++)
		step(&s, 3600, false);
	/* a second is lost */
	step(&s, 90000, false);
	for (unsigned i = 0; i < 20; i++)
		step(&s, 3600, false);
	end(&s);
	for (size_t i = 0; i < s.n; i++)
		cr_assert_leq(s.parts[i].duration_ms, 500);
	cr_assert_eq(part_cut_target_ms(&s.cut), 500);
}

Test(part_cut, a_part_that_begins_at_a_join_point_is_independent)
{
	struct source s;

	source_init(&s, 500);
	for (unsigned i = 1; i <= 36; i++)
		step(&s, 3600, i == 24);
	cr_assert_eq(s.n, 3);
	cr_assert_not(s.parts[1].independent);
	cr_assert(s.parts[2].independent);
}

Test(part_cut, a_segment_that_ends_with_a_part_has_no_other)
{
	struct source s;

	source_init(&s, 500);
	for (unsigned i = 0; i < 12; i++)
		step(&s, 3600, false);
	cr_assert_eq(s.n, 1);
	end(&s);
	cr_assert_eq(s.n, 1);
}

Test(part_cut, a_successor_keeps_the_target)
{
	struct part_cut c;

	init(&c, 200, 186);
	cr_assert_eq(part_cut_target_ms(&c), 186);
	/* that of other settings */
	init(&c, 500, 186);
	cr_assert_eq(part_cut_target_ms(&c), 500);
	init(&c, 200, 500);
	cr_assert_eq(part_cut_target_ms(&c), 200);
}

Test(part_cut, another_process_begins_with_the_next_segment)
{
	struct part_cut c;
	struct unit_time t = { .at = 90000, .step = 3600, .before = 3600 };
	struct ring_segment s = { .number = 7, .end = 1880,
				  .duration_ms = 3000 };
	struct ring_part p;

	init(&c, 500, 0);
	cr_assert_not(part_cut_late(&c, &t, &p));
	cr_assert_not(part_cut_at(&c, 188, &t, false, &p));
	cr_assert_not(part_cut_end(&c, &s, 90000, &t, &p));
}

Test(part_cut, makes_no_parts_unless_asked)
{
	struct source s;

	source_init(&s, 0);
	for (unsigned i = 0; i < 50; i++)
		step(&s, 3600, false);
	end(&s);
	cr_assert_eq(s.n, 0);
}

Test(part_cut, a_segment_that_ends_before_its_last_picture_has_no_long_part)
{
	struct source s;

	source_init(&s, 500);
	for (int i = 0; i < 14; i++)
		step(&s, 3600, false);
	s.segment.end = s.pos;
	add(&s, part_cut_end(&s.cut, &s.segment, s.cut.from - 9000, &s.time,
			     &s.parts[s.n]));
	cr_assert_geq(s.n, 1U);
	for (size_t i = 0; i < s.n; i++)
		cr_assert_leq(s.parts[i].duration_ms,
			      part_cut_target_ms(&s.cut), "%zu", i);
}

/* Pictures, or PES of audio, of so many ticks, a segment of so many seconds. */
static void add_units(struct source *s, const struct part_cut_config *config,
		      uint64_t ticks, unsigned seconds)
{
	source_init(s, config->part_ms);
	part_cut_init(&s->cut, config);
	part_cut_begin(&s->cut, &s->segment);
	for (unsigned i = 0; i < seconds * 90000 / ticks; i++)
		step(s, ticks, false);
	end(s);
}

/* Pictures of 40 ms. */
static void add_segment(struct source *s, const struct part_cut_config *config,
			unsigned seconds)
{
	add_units(s, config, 3600, seconds);
}

Test(part_cut, the_parts_of_a_long_segment_have_places_in_the_table)
{
	static const struct {
		unsigned part_ms, segment_ms, seconds, target_ms;
	} cases[] = {
		{ 200, 3000, 3, 200 },
		{ 200, 10000, 10, 200 },
		{ 200, 10000, 11, 200 },
		{ 200, 13000, 13, 260 },
		{ 200, 30000, 30, 600 },
		{ 500, 30000, 30, 600 },
		{ 2000, 30000, 30, 2000 },
		{ 0, 30000, 30, 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct source s;

		add_segment(&s, &(struct part_cut_config){
			.part_ms = cases[i].part_ms,
			.segment_ms = cases[i].segment_ms,
		}, cases[i].seconds);
		cr_assert_leq(s.n, RING_PARTS - 6, "%zu: %zu parts", i, s.n);
		cr_assert_eq(part_cut_target_ms(&s.cut), cases[i].target_ms,
			     "%zu: %u", i, part_cut_target_ms(&s.cut));
	}
}

/* Such a segment is not listed with parts, as it has not all of them. */
Test(part_cut, a_segment_that_is_longer_than_expected_has_no_longer_parts)
{
	struct source s;

	add_segment(&s, &(struct part_cut_config){
		.part_ms = 200, .segment_ms = 3000 }, 20);
	cr_assert_lt(s.n, RING_PARTS, "%zu parts", s.n);
	for (size_t i = 0; i < s.n; i++)
		cr_assert_eq(s.parts[i].duration_ms, 200);
	cr_assert_lt(s.parts[s.n - 1].end, s.segment.end);
	cr_assert_eq(part_cut_target_ms(&s.cut), 200);
	/* the next one has the expected length */
	part_cut_expect(&s.cut, 20000);
	cr_assert_eq(part_cut_target_ms(&s.cut), 410);
	s.n = 0;
	part_cut_begin(&s.cut, &s.segment);
	unit_time_begin(&s.time, 0, true);
	for (unsigned i = 0; i < 25 * 20; i++)
		step(&s, 3600, false);
	cr_assert_leq(s.n, RING_SEGMENT_PARTS);
	for (size_t i = 0; i < s.n; i++)
		cr_assert_eq(s.parts[i].duration_ms, 400);
	/* a successor */
	part_cut_init(&s.cut, &(struct part_cut_config){ .part_ms = 200,
		.segment_ms = 20000, .target_ms = 410 });
	cr_assert_eq(part_cut_target_ms(&s.cut), 410);
}

/* Most of them have parts that are listed. */
Test(part_cut, a_longer_segment_whose_parts_have_places_keeps_them)
{
	struct source s;

	add_segment(&s, &(struct part_cut_config){
		.part_ms = 200, .segment_ms = 3000 }, 10);
	check(&s, 3600, 200);
	part_cut_expect(&s.cut, 10000);
	cr_assert_eq(part_cut_target_ms(&s.cut), 200);
}

/* The first parts have little more than half of the target: each next unit
 * would exceed it. */
Test(part_cut, parts_of_few_long_units_have_places_in_the_table)
{
	static const struct {
		unsigned part_ms, seconds;
		uint64_t ticks;
		unsigned target_ms;
	} cases[] = {
		{ 200, 10, 11520, 285 }, /* six frames of AAC */
		{ 300, 15, 15360, 380 },
		{ 200, 10, 15015, 186 }, /* the parts are long enough */
		{ 500, 10, 22500, 500 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct part_cut_config config = {
			.part_ms = cases[i].part_ms,
			.segment_ms = cases[i].seconds * 1000,
		};
		struct source s;

		add_units(&s, &config, cases[i].ticks, cases[i].seconds);
		cr_expect_leq(s.n, RING_PARTS, "%zu: %zu parts", i, s.n);
		cr_expect_eq(part_cut_target_ms(&s.cut), cases[i].target_ms,
			     "%zu: %u", i, part_cut_target_ms(&s.cut));
		/* a successor continues the parts */
		config.target_ms = part_cut_target_ms(&s.cut);
		part_cut_init(&s.cut, &config);
		cr_expect_eq(part_cut_target_ms(&s.cut), config.target_ms);
	}
}
