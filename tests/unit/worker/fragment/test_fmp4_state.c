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

/* Makes the part from `from' to `to' of the whole segment, then by the state of
 * the part in front of it: both are the same. */
static void expect_same_part(struct scene *s, struct fmp4_state *state,
			     size_t from, size_t to)
{
	struct buf init = { 0 }, media = { 0 };

	s->state = NULL;
	s->at = 0;
	s->from = from;
	s->own = to;
	cr_assert_eq(make(s), 0, "%s", s->error.text);
	buf_append(&init, buf_head(&s->init), buf_len(&s->init));
	buf_append(&media, buf_head(&s->media), buf_len(&s->media));
	s->state = state;
	s->at = from;
	s->from = 0;
	s->own = to - from;
	cr_assert_eq(make(s), 0, "%s", s->error.text);
	expect_same(&s->init, &init);
	expect_same(&s->media, &media);
	buf_done(&init);
	buf_done(&media);
}

/* Each from the end of the one before it, or from the begin of the segment. */
Test(fmp4_state, a_part_that_continues_is_the_same)
{
	for (unsigned skipped = 0; skipped < 4; skipped++) {
		struct fmp4_state *state = fmp4_state_new();
		struct scene s;
		size_t cuts[5];

		open_scene(&s);
		s.last = false;
		s.near = UINT64_C(161619620000000);
		add_odd_parts(&s, s.near, cuts);
		if (skipped > 0)
			cr_assert_eq(skip(&s, state, cuts[skipped]), 0);
		for (unsigned i = skipped; i < 4; i++) {
			expect_same_part(&s, state, cuts[i], cuts[i + 1]);
			cr_assert_geq(samples_of(&s, 1), 5);
		}
		fmp4_state_free(&state);
		close_scene(&s);
	}
}

/* A frame of 384 kbit/s in a PES of seven packets; in its last half are bytes
 * that look like two short frames. */
enum { LONG_FRAME = 1152, LONG_PACKETS = 7, LONG_FIRST = 48 };

/* Packets of the nth frame, from one to the one before another. */
static void add_long_frame(struct scene *s, unsigned n, unsigned from,
			   unsigned to)
{
	uint8_t frame[LONG_FRAME];
	struct buf es = { 0 };

	memset(frame, (int)n, sizeof frame);
	memcpy(frame, "\xff\xfd\xe4\x00", 4);
	memcpy(frame + 800, "\xff\xfd\x24\x00", 4);
	memcpy(frame + 800 + FRAME, "\xff\xfd\x24\x00", 4);
	for (unsigned i = from; i < to; i++) {
		if (i > 0) {
			memcpy(build_payload(s->b, AUDIO, 0) + 4,
			       frame + LONG_FIRST + (i - 1) * (TS_PACKET - 4),
			       TS_PACKET - 4);
			continue;
		}
		buf_append(&es, frame, LONG_FIRST);
		add(s, AUDIO, s->near + n * FRAME_TICKS, &es);
	}
	buf_done(&es);
}

/* The second frame begins in the first part, reaches through the second one and
 * ends in the third one. */
static void add_short_parts(struct scene *s, size_t cuts[5])
{
	build_tables(s->b);
	for (unsigned i = 0; i < 5; i++) {
		cuts[i] = i == 0 ? 0 : build_run(s->b).n * TS_PACKET;
		add_picture(s, s->near + i * PICTURE, i == 0);
		if (i == 0)
			add_long_frame(s, 0, 0, LONG_PACKETS);
		if (i < 3)
			add_long_frame(s, 1, i == 0 ? 0 : i + 1,
				       i == 2 ? LONG_PACKETS : i + 2);
		for (unsigned k = 0; i >= 2 && k < 3; k++)
			add_long_frame(s, 2 + 3 * (i - 2) + k, 0, LONG_PACKETS);
	}
}

Test(fmp4_state, a_frame_of_sound_may_be_longer_than_a_part)
{
	struct fmp4_state *state = fmp4_state_new();
	struct scene s;
	size_t cuts[5];

	open_scene(&s);
	s.last = false;
	s.near = UINT64_C(161619620000000);
	add_short_parts(&s, cuts);
	for (unsigned i = 0; i < 4; i++)
		expect_same_part(&s, state, cuts[i], cuts[i + 1]);
	cr_assert_eq(samples_of(&s, 1), 3);
	fmp4_state_free(&state);
	close_scene(&s);
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

/* Nothing of sound is kept of the first part: no PES, or no byte in it. */
Test(fmp4_state, sound_may_begin_in_the_second_part)
{
	for (unsigned empty = 0; empty <= 1; empty++) {
		struct fmp4_state *state = fmp4_state_new();
		struct scene s;

		open_scene(&s);
		s.near = UINT64_C(161619620000000);
		s.state = state;
		build_tables(s.b);
		(void)build_pes(s.b, VIDEO, NULL, 0);
		for (unsigned i = 0; i < empty; i++)
			(void)build_pes(s.b, AUDIO, NULL, 0);
		add_picture(&s, s.near, true);
		cr_assert_eq(make(&s), 0, "%s", s.error.text);
		cr_assert_eq(fmp4_state_len(state) > 0, true);
		s.at = build_run(s.b).n * TS_PACKET;
		add_picture(&s, s.near + PICTURE, false);
		add_frame(&s, s.near + PICTURE);
		cr_assert_eq(make(&s), 0, "%s", s.error.text);
		cr_assert_eq(samples_of(&s, 1), 1);
		cr_assert_eq(time_of(&s, 1), (s.near + PICTURE) * 48 / 90);
		fmp4_state_free(&state);
		close_scene(&s);
	}
}
