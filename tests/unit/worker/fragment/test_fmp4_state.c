/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a segment that continue each other. */
#include "tests/unit/worker/fragment/fmp4_scene.h"

#include <criterion/criterion.h>
#include <string.h>

/* Sound whose frames end in the next PES, and a pause of it in front of every
 * second part. */
static void add_odd_parts(struct scene *s, uint64_t begin, size_t cuts[5])
{
	struct buf all = { 0 }, part = { 0 };
	uint64_t pts = begin + 9000;

	for (uint8_t i = 0; i < 40; i++)
		put_frame(&all, i);
	build_tables(s->b);
	for (unsigned i = 0; i < 26; i++) {
		if (i % 6 == 0)
			cuts[i / 6] = build_run(s->b).n * TS_PACKET;
		add_picture(s, begin + i * PICTURE, i == 0);
		buf_reset(&part, 0);
		buf_append(&part, buf_head(&all) + i * 150, 150);
		add(s, AUDIO, pts, &part);
		pts += FRAME_TICKS + (i % 12 == 5 ? 20000U : 0U);
	}
	cuts[0] = 0;
	buf_done(&all);
	buf_done(&part);
}

static int skip(struct scene *s, struct fmp4_state *state, size_t len)
{
	return fmp4_skip(&(struct fmp4_source){
		.data = s->b->data, .len = len, .near = s->near,
		.state = state });
}

static void expect_same(const struct buf *a, const struct buf *b)
{
	cr_assert_eq(buf_len(a), buf_len(b));
	cr_assert_eq(memcmp(buf_head(a), buf_head(b), buf_len(a)), 0);
}

/* Each from the end of the one before it, or from the begin of the segment. */
Test(fmp4_state, a_part_that_continues_is_the_same)
{
	for (unsigned skipped = 0; skipped < 4; skipped++) {
		struct fmp4_state *state = fmp4_state_new();
		struct buf init = { 0 }, media = { 0 };
		struct scene s;
		size_t cuts[5];

		open_scene(&s);
		s.last = false;
		s.near = UINT64_C(161619620000000);
		add_odd_parts(&s, s.near, cuts);
		if (skipped > 0)
			cr_assert_eq(skip(&s, state, cuts[skipped]), 0);
		for (unsigned i = skipped; i < 4; i++) {
			s.state = NULL;
			s.at = 0;
			s.from = cuts[i];
			s.own = cuts[i + 1];
			cr_assert_eq(make(&s), 0, "%s", s.error.text);
			cr_assert_geq(samples_of(&s, 1), 5);
			buf_reset(&init, 0);
			buf_reset(&media, 0);
			buf_append(&init, buf_head(&s.init),
				   buf_len(&s.init));
			buf_append(&media, buf_head(&s.media),
				   buf_len(&s.media));
			s.state = state;
			s.at = cuts[i];
			s.from = 0;
			s.own = cuts[i + 1] - cuts[i];
			cr_assert_eq(make(&s), 0, "%s", s.error.text);
			expect_same(&s.init, &init);
			expect_same(&s.media, &media);
		}
		fmp4_state_free(&state);
		buf_done(&init);
		buf_done(&media);
		close_scene(&s);
	}
}

/* Four parts with a picture and a PID of sound that has many bytes and no
 * frame; then one with frames. */
static void add_mute_parts(struct scene *s, size_t cuts[6])
{
	static const uint8_t zeros[150];

	build_tables(s->b);
	for (unsigned i = 0; i < 6; i++) {
		cuts[i] = i == 0 ? 0 : build_run(s->b).n * TS_PACKET;
		add_picture(s, s->near + i * PICTURE, i == 0);
		if (i < 4)
			(void)build_pes(s->b, AUDIO, zeros, sizeof zeros);
		for (unsigned k = 0; k < 100 && i < 4; k++)
			(void)build_payload(s->b, AUDIO, 0);
		for (unsigned k = 0; k < 300 && i < 4; k++)
			(void)build_pes(s->b, AUDIO, NULL, 0);
		for (unsigned k = 0; k < 3 && i >= 4; k++)
			add_frame(s, s->near + i * PICTURE + k * FRAME_TICKS);
	}
}

Test(fmp4_state, few_bytes_are_kept_of_sound_without_a_frame)
{
	struct fmp4_state *state = fmp4_state_new();
	struct scene s;
	struct build *b;
	size_t cuts[6], all;

	open_scene(&s);
	b = s.b;
	s.last = false;
	s.near = UINT64_C(161619620000000);
	add_mute_parts(&s, cuts);
	all = b->n;
	s.state = state;
	for (unsigned i = 0; i < 5; i++) {
		/* a picture and a PES of sound behind it are enough */
		b->n = i < 3 ? cuts[i + 1] / TS_PACKET + 2 : all;
		s.at = cuts[i];
		s.own = cuts[i + 1] - cuts[i];
		cr_assert_eq(make(&s), 0, "%u: %s", i, s.error.text);
		cr_assert_lt(fmp4_state_len(state), (8 << 10) + 1000, "%u", i);
	}
	cr_assert_eq(samples_of(&s, 1), 3);
	cr_assert_eq(time_of(&s, 1), (s.near + 4 * PICTURE) * 48 / 90);
	cr_assert_eq(field_of(&s, 1, 0, 1), FRAME);
	cr_assert_eq(fmp4_state_len(NULL), 0);
	fmp4_state_free(&state);
	close_scene(&s);
}

/* Nothing follows the first half until its fragment is made. */
Test(fmp4_state, the_frames_that_a_segment_lacks_are_those_of_its_rest)
{
	struct fmp4_state *state = fmp4_state_new();
	unsigned whole, first;
	struct scene s;
	size_t cuts[5];

	open_scene(&s);
	s.last = false;
	s.near = UINT64_C(161619620000000);
	add_odd_parts(&s, s.near, cuts);
	s.own = cuts[4];
	cr_assert_eq(make(&s), 0);
	whole = samples_of(&s, 1);
	s.own = cuts[2];
	s.b->n = cuts[2] / TS_PACKET;
	s.last = true;
	cr_assert_eq(make(&s), 0);
	first = samples_of(&s, 1);
	for (unsigned rest = 0; rest <= 1; rest++) {
		struct build *b = s.b;
		unsigned n;

		b->n = 0;
		add_odd_parts(&s, s.near, cuts);
		cr_assert_eq(skip(&s, state, cuts[2]), 0);
		buf_reset(&s.init, 0);
		buf_reset(&s.media, 0);
		cr_assert_eq(fmp4_make(&(struct fmp4_source){
			.data = b->data + cuts[2],
			.len = b->n * TS_PACKET - cuts[2],
			.own = cuts[4] - cuts[2],
			.near = s.near, .state = state, .rest = rest > 0,
		}, &s.init, &s.media, &s.lack, &s.error), 0);
		n = samples_of(&s, 1);
		cr_assert_eq(first + n, rest ? whole : whole - 1);
		fmp4_state_free(&state);
		state = fmp4_state_new();
	}
	fmp4_state_free(&state);
	close_scene(&s);
}
