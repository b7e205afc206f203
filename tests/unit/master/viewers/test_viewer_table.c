/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/viewer_table.h"

#include <criterion/criterion.h>
#include <errno.h>

Test(viewer_table, counts_the_viewers_of_a_group_in_their_order)
{
	struct viewer_table *t = viewer_table_new();
	struct viewer_entry *a = viewer_table_put(t, 1);
	struct viewer_entry *b = viewer_table_put(t, 2);

	cr_assert_eq(viewer_table_put(t, 1), a);
	cr_assert_null(viewer_table_find(t, 3));
	cr_assert_null(viewer_table_oldest(t, "anna"));
	viewer_table_group(t, b, "anna");
	viewer_table_group(t, a, "anna");
	viewer_table_group(t, b, "anna");
	cr_assert_eq(viewer_table_oldest(t, "anna"), b, "it stays first");
	cr_assert_eq(viewer_table_next(b), a);
	viewer_table_group(t, b, "bert");
	cr_assert_eq(viewer_table_oldest(t, "anna"), a);
	viewer_table_drop(t, a);
	cr_assert_null(viewer_table_oldest(t, "anna"));
	cr_assert_eq(viewer_table_any(t), b);
	viewer_table_drop(t, b);
	cr_assert_null(viewer_table_any(t));
	cr_assert_eq(viewer_table_size(t), 0u);
	viewer_table_free(&t);
}

static int excess(struct viewer_table *t, uint64_t client, unsigned most,
		  bool ends_oldest)
{
	return viewer_table_excess(t, viewer_table_put(t, client),
				   &(struct viewer_limit){ "anna", most,
							   ends_oldest });
}

Test(viewer_table, limits_a_group)
{
	struct viewer_table *t = viewer_table_new();

	cr_expect_eq(excess(t, 9, 1, false), 0, "there is no group yet");
	for (uint64_t i = 1; i <= 3; i++)
		viewer_table_group(t, viewer_table_put(t, i), "anna");
	/* a new viewer */
	cr_expect_eq(excess(t, 9, 0, false), 0);
	cr_expect_eq(excess(t, 9, 4, false), 0);
	cr_expect_eq(excess(t, 9, 3, false), -EUSERS);
	cr_expect_eq(excess(t, 9, 4, true), 0);
	cr_expect_eq(excess(t, 9, 3, true), 1);
	cr_expect_eq(excess(t, 9, 1, true), 3);
	/* the limit of viewers that watch was lowered: the oldest stay, or the
	 * newest */
	cr_expect_eq(excess(t, 2, 2, false), 0);
	cr_expect_eq(excess(t, 3, 2, false), -EUSERS);
	cr_expect_eq(excess(t, 1, 3, true), 0);
	cr_expect_eq(excess(t, 1, 2, true), -EUSERS);
	cr_expect_eq(excess(t, 2, 2, true), 1);
	cr_expect_eq(excess(t, 3, 1, true), 2);
	viewer_table_free(&t);
}

Test(viewer_table, has_an_end)
{
	struct viewer_table *t = viewer_table_new();

	for (uint64_t i = 1; i <= VIEWERS_MAX; i++)
		viewer_table_group(t, viewer_table_put(t, i), "all");
	cr_assert_null(viewer_table_put(t, VIEWERS_MAX + 1));
	cr_assert_not_null(viewer_table_put(t, VIEWERS_MAX));
	viewer_table_drop(t, viewer_table_find(t, 7));
	cr_assert_not_null(viewer_table_put(t, VIEWERS_MAX + 1));
	viewer_table_free(&t);
}

Test(viewer_table, entries_with_one_key_are_one_session)
{
	struct viewer_table *t = viewer_table_new();
	struct viewer_entry *a = viewer_table_put(t, 16);
	struct viewer_entry *b = viewer_table_put(t, 17);
	struct viewer_entry *other = viewer_table_put(t, 18);

	viewer_table_set_key(t, a, 7);
	viewer_table_set_key(t, other, 8);
	cr_assert_null(viewer_table_twin(t, a, NULL));
	viewer_table_set_key(t, b, 7);
	cr_assert_eq(viewer_table_twin(t, a, NULL), b);
	cr_assert_null(viewer_table_twin(t, a, b));
	cr_assert_eq(b->session, 16u);
	cr_assert_eq(other->session, 18u);
	cr_assert_not(viewer_table_is_shared(t, a));
	b->joined = true;
	cr_assert(viewer_table_is_shared(t, a));
	cr_assert_not(viewer_table_is_shared(t, b));

	/* one place for both, which the second one keeps */
	viewer_table_group(t, a, "anna");
	viewer_table_group(t, other, "anna");
	cr_assert(viewer_table_has_place(t, b, "anna"));
	cr_assert_not(viewer_table_has_place(t, a, "anna"), "its own");
	cr_assert_not(viewer_table_has_place(t, b, "bert"));
	viewer_table_drop(t, a);
	cr_assert_eq(viewer_table_oldest(t, "anna"), b);
	cr_assert_eq(viewer_table_next(b), other);
	cr_assert_eq(viewer_table_of_session(t, 16), b);
	cr_assert_null(viewer_table_of_session(t, 17));
	cr_assert_null(viewer_table_twin(t, b, NULL));
	viewer_table_free(&t);
}

Test(viewer_table, a_player_has_one_place_for_its_variants)
{
	struct viewer_table *t = viewer_table_new();
	struct viewer_entry *low = viewer_table_put(t, 1);
	struct viewer_entry *high = viewer_table_put(t, 2);
	struct viewer_entry *other = viewer_table_put(t, 3);

	viewer_table_set_key(t, low, 7);
	viewer_table_set_key(t, high, 8);
	viewer_table_set_player(t, low, 9);
	viewer_table_set_player(t, high, 9);
	viewer_table_set_player(t, other, 10);
	viewer_table_group(t, low, "anna");
	viewer_table_group(t, other, "anna");
	cr_assert(viewer_table_has_place(t, high, "anna"));
	cr_assert_not(viewer_table_has_place(t, low, "anna"), "its own");
	cr_assert_not(viewer_table_has_place(t, high, "bert"));
	cr_assert_not(viewer_table_has_place(t, other, "anna"));
	cr_assert_eq(viewer_table_variant(t, low, NULL), high);
	cr_assert_null(viewer_table_variant(t, low, high));
	/* the player went from one to the other */
	viewer_table_drop(t, low);
	cr_assert_eq(viewer_table_oldest(t, "anna"), high);
	cr_assert_eq(viewer_table_next(high), other);
	/* its stream left the master playlist */
	viewer_table_set_player(t, high, 0);
	viewer_table_set_player(t, other, 9);
	cr_assert_null(viewer_table_variant(t, other, NULL));
	viewer_table_free(&t);
}
