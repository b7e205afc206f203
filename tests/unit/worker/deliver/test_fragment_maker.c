/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is read for a fragment. */
#include "tests/unit/worker/deliver/fragments_scene.h"

#include <criterion/criterion.h>

Test(fragment_maker, a_part_reads_what_is_behind_the_one_before_it)
{
	const struct ring_segment *newest;
	const struct fragment *f;
	struct scene s;

	scene_init(&s, QUANTITY);
	newest = &s.all.list[s.all.n - 1];
	for (uint32_t i = 0; i < PICTURES - 1; i++) {
		size_t from = i == 0 ? 0 : 2 + i; /* packets */
		size_t read = size_of(&s) - from * RING_PACKET;

		cr_assert_eq(get_part(&s, 0, i, &f), FRAGMENT_READY, "%u", i);
		/* and the parameter sets of the one before it */
		cr_assert(i == 0 ? s.store.spent == read
				 : s.store.spent > read &&
				   s.store.spent < read + RING_PACKET,
			  "%u: %zu, not %zu", i, s.store.spent, read);
	}
	/* one that is missing between them */
	cr_assert_eq(get_part(&s, 1, 1, &f), FRAGMENT_READY);
	cr_assert_eq(get_part(&s, 1, 5, &f), FRAGMENT_READY);
	cr_assert_eq(newest->end, ring_writer_pos(s.writer));
	scene_done(&s);
}

/* A segment that begins between two pictures that decode has no tables in
 * front, and no parameter sets. */
Test(fragment_maker, the_rest_of_a_group_of_pictures_is_carried)
{
	struct build *b = build_new();
	const struct fragment *f;
	struct scene s;
	uint64_t init;

	scene_init(&s, 1);
	s.rest = true;
	add_segments(&s, 1);
	for (unsigned i = 1; i < PICTURES; i++)
		add_picture(b, i);
	write_packets(&s, b);
	end_segment(&s, true);
	look(&s);
	cr_assert_not(s.all.list[2].independent);
	cr_assert_eq(get(&s, 0, 0, &f), FRAGMENT_READY);
	init = f->init_hash;
	cr_assert_eq(get(&s, 0, 1, &f), FRAGMENT_READY);
	cr_assert_eq(f->init_hash, init);
	/* so are its parts */
	for (uint32_t i = 0; i < 3; i++) {
		cr_assert_eq(get_part(&s, 0, i, &f), FRAGMENT_READY);
		cr_assert_eq(f->init_hash, init);
	}
	/* nothing in front of it has another time */
	s.all.list[2].base++;
	cr_assert_eq(get(&s, 1, 0, &f), FRAGMENT_BAD);
	s.all.list[2].base--;
	build_free(b);
	scene_done(&s);
}

static bool is_same(const struct fragment *f, const struct blob *media)
{
	return f->media->len == media->len &&
	       memcmp(f->media->data, media->data, media->len) == 0;
}

/* A group of pictures that is longer than several segments, and than a turn
 * reads: mount 0 reads all of it at once. */
Test(fragment_maker, a_long_group_of_pictures_is_read_in_several_turns)
{
	enum { RESTS = 3 };
	struct build *b = build_new();
	const struct fragment *f, *whole;
	unsigned turns = 0;
	struct scene s;

	scene_init(&s, 1);
	s.rest = true;
	add_segments(&s, 1);
	for (unsigned k = 0; k < RESTS; k++) {
		b->n = 0;
		for (unsigned i = 1; i < PICTURES; i++)
			add_picture(b, (k + 1) * PICTURES + i);
		write_packets(&s, b);
		end_segment(&s, k + 1 == RESTS);
	}
	look(&s);
	cr_assert_not(s.all.list[s.all.n - RESTS].independent);
	cr_assert_eq(get(&s, 0, 0, &whole), FRAGMENT_READY);
	/* five packets a turn; nothing else of the playlist is there */
	s.store.turn_max = 5 * RING_PACKET + 7;
	while (get(&s, 1, 0, &f) == FRAGMENT_LATER && turns < 100) {
		cr_assert_leq(s.store.spent, 8 * RING_PACKET);
		cr_assert(fragments_starved(s.mounts[1]->fragments));
		turns++;
	}
	cr_assert(turns >= 10 && turns < 20, "%u", turns);
	cr_assert_eq(get(&s, 1, 0, &f), FRAGMENT_READY);
	cr_assert_eq(f->init_hash, whole->init_hash);
	cr_assert(is_same(f, whole->media));
	build_free(b);
	scene_done(&s);
}

/* Requests for another segment of the group, one in each turn in front of those
 * of the first one, do not delay it for ever. */
Test(fragment_maker, a_way_ends_though_another_segment_is_asked_for)
{
	struct build *b = build_new();
	const struct fragment *f;
	unsigned turns = 0;
	struct scene s;

	scene_init(&s, 1);
	s.rest = true;
	add_segments(&s, 1);
	for (unsigned k = 0; k < 2; k++) {
		b->n = 0;
		for (unsigned i = 1; i < PICTURES; i++)
			add_picture(b, (k + 1) * PICTURES + i);
		write_packets(&s, b);
		end_segment(&s, k == 1);
	}
	look(&s);
	s.store.turn_max = 5 * RING_PACKET + 7;
	while (get(&s, 0, 0, &f) == FRAGMENT_LATER && turns < 100) {
		(void)get(&s, 0, 1, &f);
		turns++;
	}
	cr_assert(turns < 20, "%u", turns);
	/* nor does one whose client has left */
	for (turns = 0; get(&s, 0, 1, &f) == FRAGMENT_LATER && turns < 100;)
		turns++;
	cr_assert(turns < 20, "%u", turns);
	build_free(b);
	scene_done(&s);
}

/* The next segment of the same group reads its own bytes alone. */
Test(fragment_maker, a_segment_continues_the_one_before_it)
{
	struct build *b = build_new();
	const struct fragment *f, *whole;
	struct scene s;

	scene_init(&s, 1);
	s.rest = true;
	add_segments(&s, 1);
	for (unsigned k = 0; k < 2; k++) {
		b->n = 0;
		for (unsigned i = 1; i < PICTURES; i++)
			add_picture(b, (k + 1) * PICTURES + i);
		write_packets(&s, b);
		end_segment(&s, k == 1);
	}
	look(&s);
	cr_assert_eq(get(&s, 0, 0, &whole), FRAGMENT_READY);
	cr_assert_gt(s.store.spent, 2 * size_of(&s));
	cr_assert_eq(get(&s, 1, 1, &f), FRAGMENT_READY);
	cr_assert_eq(get(&s, 1, 0, &f), FRAGMENT_READY);
	cr_assert_lt(s.store.spent, size_of(&s) + RING_PACKET);
	cr_assert_eq(f->init_hash, whole->init_hash);
	cr_assert(is_same(f, whole->media));
	build_free(b);
	scene_done(&s);
}
