/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures whose PES headers lie in several packets: their segments and parts
 * are those of whole headers. */
#include "tests/unit/worker/output/ring_hls_rig.h"

#include <string.h>

struct found {
	struct ring_segments segments;
	struct ring_parts parts;
};

/* A live source that is silent for 20 s, and one that sends the rest late; its
 * PCRs are sparse. */
static void play(struct rig *r, struct found *ret)
{
	use_parts(r, 500);
	r->pcr_ms = 80;
	live(r, 0, 7360);
	ring_out_feed(r->out, NULL, 0, START + 9400 * MS);
	ring_out_publish(r->out);
	burst(r, 7360, 11000, 11000);
	live(r, 11000, 13000);
	ring_out_feed(r->out, NULL, 0, START + 15100 * MS);
	live(r, 33000, 38000);
	ring_reader_segments(r->reader, 16 * RING_UNIT, &ret->segments);
	ring_reader_parts(r->reader, 16 * RING_UNIT, &ret->parts);
	cr_assert_geq(ret->segments.n, 6u);
	cr_assert_geq(ret->parts.n, 8u);
}

static void compare(const struct found *a, const struct found *b, size_t split)
{
	cr_expect_eq(a->segments.n, b->segments.n, "%zu", split);
	for (size_t i = 0; i < a->segments.n; i++) {
		const struct ring_segment *x = &a->segments.list[i];
		const struct ring_segment *y = &b->segments.list[i];

		cr_expect_eq(y->duration_ms, x->duration_ms,
			     "%zu: segment %zu has %u ms, not %u", split, i,
			     y->duration_ms, x->duration_ms);
		cr_expect_eq(y->base - b->segments.list[0].base,
			     x->base - a->segments.list[0].base,
			     "%zu: discontinuities before %zu", split, i);
		cr_expect_eq(y->independent, x->independent);
	}
	cr_expect_eq(a->parts.n, b->parts.n, "%zu: %zu parts, not %zu", split,
		     b->parts.n, a->parts.n);
	for (size_t i = 0; i < a->parts.n && i < b->parts.n; i++)
		cr_expect_eq(a->parts.list[i].duration_ms,
			     b->parts.list[i].duration_ms, "%zu: part %zu",
			     split, i);
}

static void expect_alike(bool indicates)
{
	static struct found whole, found;

	for (size_t split = 0; split < PES_HEADER + 5; split++) {
		struct rig r;

		rig_init(&r);
		r.split = split;
		r.indicates = indicates;
		play(&r, split == 0 ? &whole : &found);
		rig_done(&r);
		if (split > 0)
			compare(&whole, &found, split);
	}
}

Test(ring_split, segments_and_parts_are_those_of_whole_headers)
{
	expect_alike(false);
}

/* An indicator that is proven lets no picture wait. */
Test(ring_split, pictures_that_are_decided_at_once_have_their_times)
{
	expect_alike(true);
}
