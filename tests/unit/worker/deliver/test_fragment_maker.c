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
	/* what begins far in front of it is not read */
	s.store.turn_max = size_of(&s) - 1;
	cr_assert_eq(get(&s, 2, 0, &f), FRAGMENT_BAD);
	cr_assert_lt(s.store.spent, size_of(&s));
	build_free(b);
	scene_done(&s);
}
