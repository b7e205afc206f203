/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/deliver/fragments_scene.h"

#include "common/base/wall.h"
#include "worker/deliver/hls.h"
#include "worker/deliver/hls_fragments.h"
#include "worker/deliver/hls_playlist.h"

#include <criterion/criterion.h>
#include <string.h>

/* Has the mount this one, so that it need not be made from the ring? */
static bool is_kept(struct scene *s, unsigned mount, unsigned age)
{
	struct lag *lag = &s->mounts[mount]->lag;
	uint64_t start_max = lag->start_max;
	const struct fragment *f;
	enum fragment_state state;

	lag->start_max = 0; /* nothing can be read */
	state = get(s, mount, age, &f);
	lag->start_max = start_max;
	return state == FRAGMENT_READY;
}

static bool is_part_kept(struct scene *s, unsigned age, uint32_t index)
{
	struct lag *lag = &s->mounts[0]->lag;
	uint64_t start_max = lag->start_max;
	const struct fragment *f;
	enum fragment_state state;

	lag->start_max = 0;
	state = get_part(s, age, index, &f);
	lag->start_max = start_max;
	return state == FRAGMENT_READY;
}

Test(fragments, a_mount_keeps_twice_its_playlist)
{
	const struct fragment *f;
	struct scene s;

	scene_init(&s, KEPT + 4);
	expect_made(&s, 0, KEPT);
	for (unsigned i = 0; i < KEPT; i++)
		cr_expect(is_kept(&s, 0, i), "%u", i);
	/* requests for older ones take no turn from others */
	s.store.spent = 0;
	for (unsigned i = KEPT; i < KEPT + 4; i++)
		cr_expect_eq(get(&s, 0, i, &f), FRAGMENT_BAD, "%u", i);
	cr_expect_eq(s.store.spent, 0);
	scene_done(&s);
	/* those that are asked for while they are new */
	scene_init(&s, 1);
	for (unsigned i = 0; i < KEPT + 4; i++) {
		expect_made(&s, 0, 1);
		add_segments(&s, 1);
		look(&s);
	}
	/* the newest one has not been asked for */
	for (unsigned i = 1; i <= KEPT; i++)
		cr_expect(is_kept(&s, 0, i), "%u", i);
	cr_expect_not(is_kept(&s, 0, KEPT + 1));
	scene_done(&s);
}

Test(fragments, a_part_has_the_initialization_of_its_segment)
{
	const struct fragment *f;
	uint64_t init, number;
	struct scene s;

	scene_init(&s, 12);
	cr_assert_eq(get(&s, 0, 0, &f), FRAGMENT_READY);
	init = f->init_hash;
	number = f->number;
	/* also without a request for the segment before */
	for (uint32_t i = 5; i > 0; i--) {
		cr_assert_eq(get_part(&s, 0, i - 1, &f), FRAGMENT_READY);
		cr_assert_eq(f->init_hash, init);
		cr_assert_eq(f->number, number);
		cr_assert_eq(f->index, i - 1);
		cr_assert_not_null(f->media);
	}
	/* old ones are not made any more */
	cr_assert_eq(get_part(&s, 7, 0, &f), FRAGMENT_READY);
	cr_assert_eq(get_part(&s, 8, 0, &f), FRAGMENT_BAD);
	scene_done(&s);
}

Test(fragments, parts_have_a_limit)
{
	const struct fragment *f;
	size_t before, least = SIZE_MAX, most = 0;
	struct scene s;

	scene_init(&s, 12);
	cr_assert_eq(get(&s, 0, 0, &f), FRAGMENT_READY);
	before = s.store.bytes;
	for (unsigned age = 5; age-- > 0;)
		for (uint32_t i = 0; i < PICTURES - 1; i++) {
			cr_assert_eq(get_part(&s, age, i, &f),
				     FRAGMENT_READY, "%u %u", age, i);
			least = MIN(least, f->media->len);
			most = MAX(most, f->media->len);
		}
	cr_assert_leq(s.store.bytes, before + RING_PARTS * most);
	cr_assert_lt(RING_PARTS * most, 5 * (PICTURES - 1) * least);
	fragments_expire(s.mounts[0]->fragments, FRAGMENTS_IDLE_MS + 1);
	cr_assert_eq(s.store.bytes, 0);
	scene_done(&s);
}

/* Builds a playlist whose segments are their only parts. */
static enum fragment_state list_parts(struct scene *s, size_t n)
{
	struct ring_segments all = s->all;
	struct hls_playlist p = { .n = n, .segments = all.list + all.n - n };
	struct ring_parts parts = { .n = all.n, .target_ms = 1000 };
	uint64_t maps[MSG_HLS_MAX];

	for (size_t i = 0; i < all.n; i++)
		parts.list[i] = (struct ring_part){
			.number = all.list[i].number, .pos = all.list[i].pos,
			.end = all.list[i].end, .duration_ms = 1000,
		};
	cr_assert_eq(all.target_s, 1);
	(void)ev_run(s->loop, EVRUN_NOWAIT);
	cr_assert_eq(hls_fragments(s->mounts[0], &all, &p, maps),
		     FRAGMENT_READY);
	return hls_fragment_parts(s->mounts[0], &all, &p, &parts);
}

Test(fragments, parts_that_have_left_the_playlist_are_freed)
{
	const struct fragment *f;
	struct scene s;

	scene_init(&s, 8);
	cr_assert_eq(get(&s, 0, 0, &f), FRAGMENT_READY);
	for (unsigned age = 6; age-- > 0;)
		cr_assert_eq(get_part(&s, age, 5, &f), FRAGMENT_READY);
	/* three target durations are listed, without the end of the newest */
	cr_assert_eq(list_parts(&s, QUANTITY), FRAGMENT_LATER);
	for (unsigned age = 0; age < HLS_PARTS_TARGETS; age++)
		cr_expect(is_part_kept(&s, age, 5), "%u", age);
	for (unsigned age = HLS_PARTS_TARGETS; age < 6; age++)
		cr_expect_not(is_part_kept(&s, age, 5), "%u", age);
	scene_done(&s);
}

/* Sound begins in the second part of three, and no more of it follows. */
Test(fragments, no_part_is_made_behind_one_that_is_late)
{
	static const size_t cuts[] = { 0, 3, 5, 6 }; /* packets */
	static const uint8_t es[10];
	struct ring_parts parts = { .n = 3, .target_ms = 40 };
	struct build *b = build_new();
	uint64_t maps[MSG_HLS_MAX], made;
	struct hls_playlist p;
	struct scene s;

	scene_init(&s, QUANTITY);
	build_tables(b);
	for (unsigned i = 0; i < 4; i++) {
		add_picture(b, i);
		if (i == 1)
			(void)build_pes(b, 0x102, es, sizeof es);
	}
	write_packets(&s, b);
	look(&s);
	cr_assert(s.all.has_open);
	for (unsigned i = 0; i < 3; i++)
		parts.list[i] = (struct ring_part){
			.number = s.all.open.number, .index = i,
			.pos = s.all.open.pos + cuts[i] * RING_PACKET,
			.end = s.all.open.pos + cuts[i + 1] * RING_PACKET,
			.duration_ms = 40,
		};
	p = (struct hls_playlist){ .n = QUANTITY, .segments = s.all.list };
	(void)ev_run(s.loop, EVRUN_NOWAIT);
	cr_assert_eq(hls_fragments(s.mounts[0], &s.all, &p, maps),
		     FRAGMENT_READY);
	made = fragments_made(s.mounts[0]->fragments);
	cr_assert_eq(hls_fragment_parts(s.mounts[0], &s.all, &p, &parts),
		     FRAGMENT_READY);
	cr_assert_eq(parts.n, 1);
	cr_assert_eq(fragments_made(s.mounts[0]->fragments), made + 1);
	build_free(b);
	scene_done(&s);
}

Test(fragments, a_part_takes_no_room_of_the_playlist)
{
	const struct fragment *f;
	struct scene s;
	size_t one;

	scene_init(&s, QUANTITY);
	expect_made(&s, 0, QUANTITY);
	one = s.store.bytes;
	cr_assert_eq(get_part(&s, 0, 1, &f), FRAGMENT_READY);
	one = s.store.bytes - one;
	s.store.max = s.store.bytes + RING_PACKET;
	for (uint32_t i = 2; i < PICTURES - 1; i++) {
		cr_assert_eq(get_part(&s, 0, i, &f), FRAGMENT_READY, "%u", i);
		cr_assert_leq(s.store.bytes, s.store.max + one, "%u", i);
	}
	/* an older one has no room */
	s.store.max = s.store.bytes;
	cr_assert_eq(get_part(&s, 0, 0, &f), FRAGMENT_FULL);
	for (unsigned i = 0; i < QUANTITY; i++)
		cr_expect(is_kept(&s, 0, i), "%u", i);
	scene_done(&s);
}

Test(fragments, a_segment_of_the_playlist_takes_the_room_of_parts)
{
	const struct fragment *f;
	struct scene s;

	scene_init(&s, QUANTITY);
	expect_made(&s, 0, QUANTITY - 1);
	for (uint32_t i = 0; i < PICTURES - 1; i++)
		cr_assert_eq(get_part(&s, 0, i, &f), FRAGMENT_READY, "%u", i);
	s.store.max = s.store.bytes;
	expect_made(&s, 0, QUANTITY);
	for (unsigned i = 0; i < QUANTITY; i++)
		cr_expect(is_kept(&s, 0, i), "%u", i);
	scene_done(&s);
}

Test(fragments, a_part_too_far_behind_the_begin_of_its_segment_is_not_made)
{
	const struct fragment *f;
	struct scene s;
	struct ring_segment *newest;
	struct ring_part p;

	scene_init(&s, QUANTITY);
	newest = &s.all.list[s.all.n - 1];
	p = (struct ring_part){
		.number = newest->number, .index = 9, .pos = newest->pos,
		.end = newest->pos + FRAGMENT_BYTES_MAX + RING_PACKET,
		.duration_ms = 1000,
	};
	newest->end = 0;
	(void)ev_run(s.loop, EVRUN_NOWAIT);
	cr_assert_eq(fragments_part(s.mounts[0]->fragments, newest, &p, 1, &f),
		     FRAGMENT_BAD);
	cr_assert_eq(s.store.spent, 0);
	scene_done(&s);
}

Test(fragments, what_has_left_the_playlist_makes_room_for_other_mounts)
{
	struct scene s;
	size_t one;

	scene_init(&s, KEPT);
	expect_made(&s, 0, KEPT);
	one = s.store.bytes / KEPT;
	expect_made(&s, 1, QUANTITY + 1);
	/* the third mount needs three */
	s.store.max = s.store.bytes + size_of(&s) - one;
	expect_made(&s, 2, QUANTITY);
	cr_assert_leq(s.store.bytes, s.store.max);
	/* they are the oldest ones of the mount with the most */
	for (unsigned i = 0; i <= QUANTITY; i++)
		cr_expect(is_kept(&s, 1, i), "%u", i);
	for (unsigned i = 0; i < KEPT - QUANTITY; i++)
		cr_expect(is_kept(&s, 0, i), "%u", i);
	cr_expect_not(is_kept(&s, 0, KEPT - QUANTITY));
	scene_done(&s);
}

Test(fragments, no_playlist_takes_the_room_of_another_one)
{
	const struct fragment *f;
	struct scene s;
	size_t one;

	scene_init(&s, QUANTITY);
	expect_made(&s, 0, QUANTITY);
	one = s.store.bytes / QUANTITY;
	expect_made(&s, 1, QUANTITY);
	/* one more */
	s.store.max = s.store.bytes + size_of(&s);
	cr_assert_eq(get(&s, 2, 0, &f), FRAGMENT_READY);
	cr_assert_eq(get(&s, 2, 1, &f), FRAGMENT_FULL);
	for (unsigned i = 0; i < 2 * QUANTITY; i++)
		cr_expect(is_kept(&s, i % 2, i / 2), "%u", i);
	cr_expect(is_kept(&s, 2, 0));
	/* a new segment replaces the oldest one of its own mount */
	add_segments(&s, 1);
	look(&s);
	s.store.max = s.store.bytes + size_of(&s) - one;
	cr_assert_eq(get(&s, 2, 0, &f), FRAGMENT_READY);
	cr_expect_not(is_kept(&s, 2, 1));
	for (unsigned i = 0; i < 2 * QUANTITY; i++)
		cr_expect(is_kept(&s, i % 2, 1 + i / 2), "%u", i);
	scene_done(&s);
}

Test(fragments, what_an_answer_holds_takes_room)
{
	const struct fragment *f;
	struct blob *held;
	struct scene s;

	scene_init(&s, 2);
	s.store.max = size_of(&s);
	cr_assert_eq(get(&s, 0, 1, &f), FRAGMENT_READY);
	held = blob_ref(f->media);
	cr_assert_eq(get(&s, 0, 0, &f), FRAGMENT_FULL);
	cr_assert_geq(s.store.bytes, held->len);
	cr_assert_eq(get(&s, 1, 0, &f), FRAGMENT_FULL);
	blob_unref(&held);
	cr_assert_eq(get(&s, 0, 0, &f), FRAGMENT_READY);
	scene_done(&s);
}

Test(fragments, a_turn_reads_few_bytes_for_all_mounts)
{
	const struct fragment *f;
	struct scene s;

	scene_init(&s, 2);
	s.store.turn_max = 1;
	cr_assert_eq(get(&s, 0, 0, &f), FRAGMENT_READY);
	for (unsigned i = 0; i < MOUNTS; i++)
		for (unsigned k = 0; k < 2; k++)
			cr_expect_eq(fragments_get(s.mounts[i]->fragments,
						   &s.all.list[k], 1, &f),
				     i == 0 && k == 1 ? FRAGMENT_READY
						      : FRAGMENT_LATER,
				     "%u %u", i, k);
	cr_assert_eq(get(&s, 1, 0, &f), FRAGMENT_READY);
	scene_done(&s);
}

/* The newest segment, after so many periods. */
static enum fragment_state retry(struct scene *s, unsigned periods)
{
	const struct fragment *f;

	(void)ev_run(s->loop, EVRUN_NOWAIT);
	return fragments_get(s->mounts[0]->fragments,
			     &s->all.list[s->all.n - 1],
			     periods * FRAGMENT_RETRY_MS, &f);
}

Test(fragments, a_segment_that_waits_for_its_end_is_not_read_again)
{
	struct build *b = build_new();
	struct scene s;

	scene_init(&s, 1);
	/* it does not end for long */
	s.open.wall_ms = (int64_t)wall_ms() + 3600 * 1000;
	add_segments(&s, 1);
	/* a segment takes the time of its begin */
	add_segments(&s, 1);
	look(&s);
	cr_assert_eq(retry(&s, 1), FRAGMENT_LATER);
	cr_assert_eq(s.store.spent, size_of(&s));
	cr_assert_eq(retry(&s, 2), FRAGMENT_LATER);
	cr_assert_eq(s.store.spent, 0);
	for (unsigned i = 0; i < 5; i++)
		(void)build_null(b);
	write_packets(&s, b);
	cr_assert_eq(retry(&s, 3), FRAGMENT_LATER);
	cr_assert_eq(s.store.spent, 5 * TS_PACKET);
	b->n = 0;
	add_picture(b, 0);
	write_packets(&s, b);
	cr_assert_eq(retry(&s, 4), FRAGMENT_READY);
	build_free(b);
	scene_done(&s);
}

/* What follows the hole may have another time. */
Test(fragments, a_segment_that_has_stopped_waits_for_nothing_behind_it)
{
	struct build *b = build_new();
	const struct fragment *f;
	struct blob *alone;
	struct scene s;

	scene_init(&s, 1);
	s.open.wall_ms = (int64_t)wall_ms() + 3600 * 1000;
	add_segments(&s, 2);
	look(&s);
	cr_assert_eq(retry(&s, 1), FRAGMENT_LATER);
	s.all.list[s.all.n - 1].stopped = true;
	cr_assert_eq(get(&s, 0, 0, &f), FRAGMENT_READY);
	alone = blob_ref(f->media);
	/* the same in a process that comes later */
	add_picture(b, 200);
	write_packets(&s, b);
	cr_assert_eq(get(&s, 1, 0, &f), FRAGMENT_READY);
	cr_assert_eq(f->media->len, alone->len);
	cr_assert_eq(memcmp(f->media->data, alone->data, alone->len), 0);
	blob_unref(&alone);
	build_free(b);
	scene_done(&s);
}

Test(fragments, a_position_far_away_is_not_read_up_to)
{
	const struct fragment *f;
	struct build *b = build_new();
	struct scene s;
	struct ring_segment *x;

	scene_init(&s, 1);
	s.open.wall_ms = (int64_t)wall_ms() + 3600 * 1000;
	add_segments(&s, 2);
	look(&s);
	cr_assert_eq(retry(&s, 1), FRAGMENT_LATER);
	for (unsigned i = 0; i < 1000; i++)
		(void)build_null(b);
	for (unsigned i = 0; i * 1000 * TS_PACKET <= FRAGMENT_TAIL_MAX; i++)
		write_packets(&s, b);
	/* the worker moves the segment to there */
	x = &s.all.list[s.all.n - 1];
	x->end = ring_writer_pos(s.writer);
	x->pos = x->end - UINT64_C(10) * TS_PACKET;
	(void)ev_run(s.loop, EVRUN_NOWAIT);
	cr_assert_eq(fragments_get(s.mounts[0]->fragments, x,
				   2 * FRAGMENT_RETRY_MS, &f), FRAGMENT_BAD);
	cr_assert_eq(s.store.spent, 10 * TS_PACKET);
	build_free(b);
	scene_done(&s);
}

Test(fragments, a_fragment_that_is_made_is_news_after_one_that_is_late)
{
	const struct fragment *f;
	struct scene s;
	struct mount *m;

	scene_init(&s, 2);
	m = s.mounts[0];
	s.store.turn_max = 1;
	cr_assert(hls_has_news(m, 1));
	cr_assert_not(hls_has_news(m, 1));
	cr_assert_eq(get(&s, 0, 0, &f), FRAGMENT_READY);
	cr_assert_eq(fragments_get(m->fragments, &s.all.list[0], 1, &f),
		     FRAGMENT_LATER);
	cr_assert(hls_has_news(m, 1));
	cr_assert_eq(get(&s, 0, 1, &f), FRAGMENT_READY);
	cr_assert(hls_has_news(m, 1));
	cr_assert_not(hls_has_news(m, 1));
	scene_done(&s);
}

/* The stream worker has begun anew, after the clock was set back. */
Test(fragments, numbers_that_begin_anew_are_made)
{
	const struct fragment *f;
	struct ring_segment early;
	struct scene s;

	scene_init(&s, QUANTITY);
	expect_made(&s, 0, QUANTITY);
	early = s.all.list[s.all.n - 1];
	early.number -= 100;
	(void)ev_run(s.loop, EVRUN_NOWAIT);
	cr_assert_eq(fragments_get(s.mounts[0]->fragments, &early, 1, &f),
		     FRAGMENT_BAD);
	fragments_bound(s.mounts[0]->fragments, early.number);
	cr_assert_eq(s.store.bytes, 0);
	cr_assert_eq(fragments_get(s.mounts[0]->fragments, &early, 1, &f),
		     FRAGMENT_READY);
	/* the same ring again */
	fragments_bound(s.mounts[0]->fragments, early.number);
	cr_assert_gt(s.store.bytes, 0);
	scene_done(&s);
}
