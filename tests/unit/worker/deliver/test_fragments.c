/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/fragments.h"

#include "common/base/fd.h"
#include "common/base/wall.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/deliver/hls.h"
#include "worker/deliver/hls_fragments.h"
#include "worker/deliver/hls_playlist.h"
#include "worker/deliver/mount.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <string.h>

enum {
	QUANTITY = 3, /* of a playlist */
	KEPT = 2 * QUANTITY + 1,
	MOUNTS = 3,
	PICTURES = 20,
	FIRST = 500,
};

static const struct lag_kernel kernel = { 4 << 20, 6 << 20 };

/* Mounts of one ring, whose segments are of one size. */
struct scene {
	struct ev_loop *loop;
	int ring_fd;
	struct ring_writer *writer;
	struct ring_segment open;
	struct fragment_store store;
	struct mount *mounts[MOUNTS];
	struct ring_segments all;
};

static void write_packets(struct scene *s, const struct build *b)
{
	size_t room;

	for (size_t i = 0; i < b->n; i++) {
		memcpy(ring_room(s->writer, &room), b->data + i * TS_PACKET,
		       TS_PACKET);
		ring_commit(s->writer, 1);
	}
	ring_publish(s->writer);
}

static void add_picture(struct build *b, unsigned i)
{
	static const uint8_t first[] = "\0\0\1\x67\x64\x00\x0d\xac\xd9\x41\x51"
		"\xfe\x23\xc0\x44\x00\x00\x03\x00\x04\x00\x00\x03\x00\xc8\x3c"
		"\x50\xa6\x58\0\0\1\x68\xeb\xe3\xcb\x22\xc0\0\0\1\x65ICE";
	uint8_t es[150], *p;
	struct pes_times at;

	memset(es, 0x55, sizeof es);
	memcpy(es, "\0\0\1\x41", 4);
	if (i == 0)
		memcpy(es, first, sizeof first - 1);
	p = build_pes(b, 0x101, es, sizeof es);
	cr_assert(pes_times(p, &at));
	pes_set_time(p + at.pts, i * UINT64_C(3600));
}

/* The segments are those of long ago: their ends have arrived. */
static void add_segments(struct scene *s, unsigned n)
{
	struct build *b = build_new();

	build_tables(b);
	for (unsigned i = 0; i < PICTURES; i++)
		add_picture(b, i);
	while (n-- > 0) {
		struct ring_segment done;

		write_packets(s, b);
		done = s->open;
		done.end = s->open.pos = ring_writer_pos(s->writer);
		done.duration_ms = 1000;
		s->open.number++;
		ring_segment_cut(s->writer, &done, &s->open);
	}
	build_free(b);
}

static void look(struct scene *s)
{
	uint64_t end;

	cr_assert(mount_end(s->mounts[0], &end));
	ring_reader_segments(s->mounts[0]->reader,
			     (size_t)s->mounts[0]->lag.start_max, &s->all);
}

static void scene_init(struct scene *s, unsigned n)
{
	static const struct msg_deliver_mount name = {
		.address = "127.0.0.1:0", .path = "/news.m3u8",
		.stream = "a001", .hls = QUANTITY, .fmp4 = true
	};
	int err = 0;

	*s = (struct scene){ .loop = ev_loop_new(EVFLAG_NOENV),
			     .ring_fd = ring_create(4 << 20, RING_GROWN),
			     .store = { .max = FRAGMENTS_TOTAL_MAX,
					.turn_max = FRAGMENTS_TURN_MAX },
			     .open = { .number = FIRST, .base = FIRST,
				       .wall_ms = 1000000,
				       .independent = true } };
	s->writer = ring_writer_new(s->ring_fd, &err);
	cr_assert_not_null(s->writer, "%d", err);
	ring_segment_cut(s->writer, NULL, &s->open);
	add_segments(s, n);
	for (unsigned i = 0; i < MOUNTS; i++) {
		s->mounts[i] = mount_new(&(struct mount_config){
			.loop = s->loop, .name = &name,
			.ring_fd = fd_reopen_readonly(s->ring_fd),
			.start_ms = 1, .kernel = &kernel,
			.fragments = &s->store,
		}, &err);
		cr_assert_not_null(s->mounts[i], "%d", err);
	}
	look(s);
	cr_assert_eq(s->all.n, n);
}

static void scene_done(struct scene *s)
{
	for (unsigned i = 0; i < MOUNTS; i++)
		mount_free(&s->mounts[i]);
	ring_writer_free(&s->writer);
	fd_close(&s->ring_fd);
	ev_loop_destroy(s->loop);
	cr_assert_eq(s->store.bytes, 0);
}

/* The fragment of the segment with so many newer ones, in a turn of its own. */
static enum fragment_state get(struct scene *s, unsigned mount, unsigned age,
			       const struct fragment **ret)
{
	(void)ev_run(s->loop, EVRUN_NOWAIT);
	return fragments_get(s->mounts[mount]->fragments,
			     &s->all.list[s->all.n - 1 - age], 1, ret);
}

/* The newest n, as a playlist is built. */
static void expect_made(struct scene *s, unsigned mount, unsigned n)
{
	const struct fragment *f;

	for (unsigned i = 0; i < n; i++)
		cr_assert_eq(get(s, mount, i, &f), FRAGMENT_READY, "%u %u",
			     mount, i);
}

/* A part of a segment, from one of its pictures to another. */
static enum fragment_state get_part(struct scene *s, unsigned age,
				    uint32_t index, const struct fragment **ret)
{
	const struct ring_segment *seg = &s->all.list[s->all.n - 1 - age];
	/* two packets of tables are in front of the pictures */
	uint64_t first = seg->pos + UINT64_C(2) * RING_PACKET;
	struct ring_part p = {
		.number = seg->number, .index = index,
		.pos = index == 0 ? seg->pos : first + index * RING_PACKET,
		.end = first + (index + 1) * (uint64_t)RING_PACKET,
		.duration_ms = 40,
	};

	(void)ev_run(s->loop, EVRUN_NOWAIT);
	return fragments_part(s->mounts[0]->fragments, seg, &p, 1, ret);
}

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

static size_t size_of(struct scene *s)
{
	return (size_t)(s->all.list[0].end - s->all.list[0].pos);
}

Test(fragments, a_mount_keeps_twice_its_playlist)
{
	struct scene s;

	scene_init(&s, KEPT + 4);
	expect_made(&s, 0, KEPT + 4);
	for (unsigned i = 0; i < KEPT - 1; i++)
		cr_expect(is_kept(&s, 0, i), "%u", i);
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

Test(fragments, a_part_far_behind_the_begin_of_its_segment_is_not_made)
{
	const struct fragment *f;
	struct scene s;
	struct ring_segment *newest;
	struct ring_part p;

	scene_init(&s, QUANTITY);
	cr_assert_eq(list_parts(&s, QUANTITY), FRAGMENT_LATER);
	newest = &s.all.list[s.all.n - 1];
	p = (struct ring_part){
		.number = newest->number, .index = 9, .pos = newest->pos,
		.end = newest->pos + FRAGMENT_PARTS_MAX + RING_PACKET,
		.duration_ms = 1000,
	};
	newest->end = 0;
	(void)ev_run(s.loop, EVRUN_NOWAIT);
	cr_assert_eq(fragments_part(s.mounts[0]->fragments, newest, &p, 1, &f),
		     FRAGMENT_BAD);
	cr_assert_eq(s.store.spent, 0);
	/* nor has a playlist parts of some segments only */
	newest->end = p.end;
	cr_assert_eq(list_parts(&s, QUANTITY), FRAGMENT_BAD);
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
