/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Headers of PES that lie in several packets (ISO/IEC 13818-1 2.4.3.6). */
#include "tests/unit/worker/fragment/fmp4_scene.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

enum {
	STUFFING = 3,
	HEADER = 14 + STUFFING,
	BEGIN = 1000000,
	SOUND = BEGIN + 9000,
};

static const uint8_t stuffing[] = "\xff\xff\xff";

/* A PES with stuffing in its header, of which so many bytes are in its first
 * packet; 0: all. */
static void add_split(struct scene *s, uint16_t pid, uint64_t pts,
		      const struct buf *unit, size_t first)
{
	struct buf es = { 0 };
	uint8_t *p;

	buf_append(&es, stuffing, STUFFING);
	buf_append(&es, buf_head(unit), buf_len(unit));
	add(s, pid, pts, &es);
	p = build_packet(s->b, s->b->n - 1);
	p[ts_payload_offset(p) + PES_HEADER - 1] = 5 + STUFFING;
	if (first > 0)
		build_split(s->b, first);
	buf_done(&es);
}

static void add_split_picture(struct scene *s, unsigned n, size_t first)
{
	struct buf es = { 0 };

	if (n == 0) {
		buf_append(&es, sps, sizeof sps - 1);
		buf_append(&es, pps, sizeof pps - 1);
		buf_append(&es, idr, sizeof idr - 1);
	} else {
		buf_append(&es, slice, sizeof slice - 1);
	}
	/* each lasts longer than the one before */
	add_split(s, VIDEO, BEGIN + n * (n + 1) * PICTURE, &es, first);
	buf_done(&es);
}

static void add_split_frame(struct scene *s, unsigned n, size_t first)
{
	struct buf es = { 0 };

	put_frame(&es, (uint8_t)n);
	add_split(s, AUDIO, SOUND + n * FRAME_TICKS, &es, first);
	buf_done(&es);
}

/* Three pictures and frames, and as many behind the segment. */
static void open_split(struct scene *s, size_t first)
{
	open_scene(s);
	s->last = false;
	s->near = BEGIN;
	build_tables(s->b);
	for (unsigned i = 0; i < 6; i++) {
		if (i == 3)
			s->own = build_run(s->b).n * TS_PACKET;
		add_split_picture(s, i, first);
		add_split_frame(s, i, first);
	}
}

static void expect_same(const struct buf *a, const struct buf *b, size_t first)
{
	cr_assert_eq(buf_len(a), buf_len(b), "split at %zu: %zu, not %zu bytes",
		     first, buf_len(a), buf_len(b));
	cr_assert_eq(memcmp(buf_head(a), buf_head(b), buf_len(a)), 0,
		     "split at %zu", first);
}

Test(fmp4_split, units_are_the_same_wherever_their_header_is_split)
{
	struct scene whole, s;

	open_split(&whole, 0);
	cr_assert_eq(make(&whole), 0, "%s", whole.error.text);
	cr_assert_eq(samples_of(&whole, 0), 3);
	cr_assert_eq(samples_of(&whole, 1), 3);
	for (size_t first = 1; first < HEADER + 2; first++) {
		open_split(&s, first);
		cr_assert_eq(make(&s), 0, "split at %zu: %s", first,
			     s.error.text);
		expect_same(&s.init, &whole.init, first);
		expect_same(&s.media, &whole.media, first);
		close_scene(&s);
	}
	close_scene(&whole);
}

/* Are the packets from there on what it lacked? */
static bool feed_lack(struct scene *s, size_t from)
{
	return fmp4_lack_feed(&s->lack, s->b->data + from * TS_PACKET,
			      (s->b->n - from) * TS_PACKET);
}

/* The time of the picture behind it ends the last picture. */
Test(fmp4_split, a_segment_waits_for_the_rest_of_a_header)
{
	for (size_t first = 1; first < HEADER; first++) {
		struct scene s;
		size_t from;

		open_scene(&s);
		s.last = false;
		s.near = BEGIN;
		build_tables(s.b);
		add_split_frame(&s, 0, first);
		add_split_picture(&s, 0, first);
		from = s.b->n;
		s.own = from * TS_PACKET;
		cr_assert_eq(make(&s), -EAGAIN);
		add_split_frame(&s, 1, first);
		cr_assert_not(feed_lack(&s, from), "split at %zu", first);
		from = s.b->n;
		add_split_picture(&s, 1, first);
		s.b->n--;
		cr_assert(feed_lack(&s, from), "split at %zu", first);
		/* all times are in front of the stuffing */
		if (first < HEADER - STUFFING) {
			cr_assert_eq(make(&s), -EAGAIN, "split at %zu", first);
			from = s.b->n++;
			cr_assert(feed_lack(&s, from));
		}
		cr_assert_eq(make(&s), 0, "split at %zu", first);
		cr_assert_eq(field_of(&s, 0, 0, 0), 2 * PICTURE);
		close_scene(&s);
	}
}

/* A header that has no rest is not waited for when no more bytes come, nor
 * behind the next one. */
Test(fmp4_split, a_header_without_its_rest_has_no_time)
{
	struct scene s;

	open_scene(&s);
	s.near = BEGIN;
	build_tables(s.b);
	add_split_picture(&s, 0, 0);
	add_split_picture(&s, 1, 10);
	s.b->n--;
	cr_assert_eq(make(&s), 0, "%s", s.error.text);
	cr_assert_eq(samples_of(&s, 0), 1);
	add_split_picture(&s, 2, 10);
	s.last = false;
	s.own = (s.b->n - 2) * TS_PACKET;
	cr_assert_eq(make(&s), 0, "%s", s.error.text);
	cr_assert_eq(samples_of(&s, 0), 1);
	cr_assert_eq(field_of(&s, 0, 0, 0), 6 * PICTURE);
	close_scene(&s);
}

/* Makes the part up to `to' of the whole segment, then by the state of the part
 * in front of it: both are the same. */
static void expect_same_part(struct scene *s, struct fmp4_state *state,
			     size_t from, size_t to, size_t first)
{
	struct buf media = { 0 };

	s->state = NULL;
	s->at = 0;
	s->from = from;
	s->own = to;
	cr_assert_eq(make(s), 0, "%s", s->error.text);
	buf_append(&media, buf_head(&s->media), buf_len(&s->media));
	s->state = state;
	s->at = from;
	s->from = 0;
	s->own = to - from;
	cr_assert_eq(make(s), 0, "%s", s->error.text);
	expect_same(&s->media, &media, first);
	buf_done(&media);
}

Test(fmp4_split, a_part_may_end_in_a_header)
{
	for (size_t first = 1; first < HEADER; first++) {
		struct fmp4_state *state = fmp4_state_new();
		struct scene s;
		size_t middle, end;

		open_scene(&s);
		s.last = false;
		s.near = BEGIN;
		build_tables(s.b);
		add_split_picture(&s, 0, first);
		for (unsigned i = 0; i < 3; i++)
			add_split_frame(&s, i, first);
		middle = (s.b->n - 1) * TS_PACKET;
		add_split_picture(&s, 1, first);
		add_split_frame(&s, 3, first);
		end = (s.b->n - 1) * TS_PACKET;
		add_split_picture(&s, 2, first);
		for (unsigned i = 4; i < 6; i++)
			add_split_frame(&s, i, first);
		expect_same_part(&s, state, 0, middle, first);
		cr_assert_eq(samples_of(&s, 1), 3);
		expect_same_part(&s, state, middle, end, first);
		cr_assert_eq(samples_of(&s, 1), 1, "split at %zu", first);
		fmp4_state_free(&state);
		close_scene(&s);
	}
}
