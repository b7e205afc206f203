/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Players of the variants of a master playlist. */
#include "tests/unit/master/viewers/viewers_rig.h"

static void join_variant(struct viewer_way *way, uint64_t client,
			 const char *stream, uint64_t player)
{
	join_anna(way, &(struct msg_session){
		.client = client, .stream = stream, .key = 100 + client,
		.player = player });
}

static void leave(struct viewer_way *way, uint64_t client)
{
	viewers_report(w.viewers, way, &(struct msg_deliver_changes){
		.n_left = 1, .left = { client } });
}

/* Asks about a variant of a master playlist. */
static void ask_variant(struct viewer_way *way, uint64_t client,
			const char *stream, uint64_t player)
{
	send_ask(way, &(struct msg_deliver_ask){ .client = client,
		.stream = stream, .key = 100 + client, .player = player });
	join_variant(way, client, stream, player);
}

Test(players, a_player_of_variants_has_one_place)
{
	struct viewer_way way = { .send = take };

	set_anna("oldest");
	viewers_up(w.viewers, &way);
	ask_variant(&way, 1, "low", 7);
	ask_variant(&way, 2, "high", 7);
	cr_assert_eq(w.answers, 2u);
	cr_assert_eq(w.verdict, ASK_ALLOWED);
	cr_assert_eq(w.kicks, 0u);
	/* another player ends all sessions of the first one */
	ask_variant(&way, 3, "low", 8);
	cr_assert_eq(w.verdict, ASK_ALLOWED);
	cr_assert_eq(w.kicks, 2u);
	/* a stream that is no variant needs a place of its own */
	ask_variant(&way, 4, "a", 8);
	cr_assert_eq(w.kicks, 3u);
	cr_assert_eq(w.kick.client, 3u);
	viewers_down(w.viewers, &way);
	tear_down();
}

Test(players, a_closed_session_ends_all_variants_of_its_player)
{
	struct viewer_way way = { .send = take };

	set_anna("oldest");
	viewers_up(w.viewers, &way);
	ask_variant(&way, 1, "low", 7);
	ask_variant(&way, 2, "high", 7);
	w.kicks = 0;
	cr_assert(viewers_close(w.viewers, 1));
	cr_expect_eq(w.kicks, 2u, "%u", w.kicks);
	cr_expect_eq(w.kick.client, 2u);
	cr_expect_not(w.kick.limit);
	leave(&way, 1);
	leave(&way, 2);
	/* a variant that it did not play yet */
	ask_variant(&way, 4, "low", 7);
	cr_expect_eq(w.verdict, ASK_DENIED);
	ask_variant(&way, 5, "a", 7);
	cr_expect_eq(w.verdict, ASK_ALLOWED);
	ask_variant(&way, 6, "low", 8);
	cr_expect_eq(w.verdict, ASK_ALLOWED);
	viewers_down(w.viewers, &way);
	tear_down();
}

/* Their worker asks about no viewer, or was adopted. */
Test(players, reports_name_the_player_of_variants)
{
	struct viewer_way way = { .send = take };

	set_anna("deny");
	viewers_up(w.viewers, &way);
	join_variant(&way, 1, "low", 7);
	join_variant(&way, 2, "high", 7);
	cr_expect_not(w.shared);
	cr_assert(viewers_close(w.viewers, 2));
	/* the worker asks about every variant that the player begins */
	cr_expect(w.shared);
	cr_expect_eq(w.kicks, 2u, "%u", w.kicks);
	cr_expect_eq(w.kick.client, 1u);
	viewers_down(w.viewers, &way);
	tear_down();
}

/* The worker reports the variant later, and did not ask about it. */
Test(players, a_variant_that_begins_while_its_player_is_closed_ends)
{
	struct viewer_way way = { .send = take };

	set_anna("deny");
	viewers_up(w.viewers, &way);
	join_variant(&way, 1, "low", 7);
	cr_assert(viewers_close(w.viewers, 1));
	cr_expect_eq(w.kicks, 1u, "%u", w.kicks);
	join_variant(&way, 2, "high", 7);
	cr_expect_eq(w.kicks, 2u, "%u", w.kicks);
	cr_expect_eq(w.kick.client, 2u);
	cr_expect_not(w.kick.limit);
	/* another player, and a stream that is no variant */
	join_variant(&way, 3, "high", 8);
	join_variant(&way, 4, "a", 7);
	cr_expect_eq(w.kicks, 2u, "%u", w.kicks);
	viewers_down(w.viewers, &way);
	tear_down();
}

/* The user watches at two workers, and has a place at one of them. */
Test(players, a_change_of_a_user_reviews_all_that_it_watches)
{
	struct viewer_way way = { .send = take, .shared = true };
	struct viewer_way other = { .send = take, .shared = true };

	set_anna("deny");
	viewers_up(w.viewers, &way);
	viewers_up(w.viewers, &other);
	ask_variant(&way, 1, "low", 7);
	ask_variant(&way, 2, "high", 7);
	/* the same client at another worker */
	ask_anna(&other, 3, 101);
	report_anna(&other, 3, 101);
	cr_assert_eq(w.verdict, ASK_ALLOWED);
	w.reviewed = 0;
	viewers_user_changed(w.viewers, "anna");
	cr_expect_eq(w.reviewed, 14u, "%ju", (uintmax_t)w.reviewed);
	viewers_down(w.viewers, &way);
	viewers_down(w.viewers, &other);
	tear_down();
}

static void set_group(const char *id, const char *group)
{
	json_t *entry = json_deep_copy(config_stream(w.config, id));

	(void)json_object_set_new(entry, "hls_group", json_string(group));
	config_put_stream(w.config, id, entry);
	viewers_groups_changed(w.viewers);
}

static void review(struct viewer_way *way, uint64_t client, const char *stream)
{
	cr_assert_eq(w.reviewed, 1u);
	send_ask(way, &(struct msg_deliver_ask){ .client = client,
		.stream = stream, .key = 100 + client, .player = 7 });
	cr_assert_eq(w.verdict, ASK_ALLOWED);
}

Test(players, streams_that_become_variants_share_a_place)
{
	struct viewer_way way = { .send = take };

	set_anna("oldest");
	viewers_up(w.viewers, &way);
	ask_variant(&way, 1, "a", 7);
	set_group("a", "g");
	review(&way, 1, "a");
	ask_variant(&way, 2, "high", 7);
	cr_expect_eq(w.verdict, ASK_ALLOWED);
	cr_expect_eq(w.kicks, 0u, "%u", w.kicks);
	/* the streams have no common group: the reviewed viewer gets the
	 * place */
	w.reviewed = 0;
	set_group("high", "other");
	review(&way, 2, "high");
	cr_expect_eq(w.kicks, 1u, "%u", w.kicks);
	cr_expect_eq(w.kick.client, 1u);
	viewers_down(w.viewers, &way);
	tear_down();
}

/* The worker asks about no viewer, because none needs a permission. */
Test(players, a_list_has_the_present_variants)
{
	struct viewer_way way = { .send = take };
	static struct msg_deliver_sessions page = { .n = 2, .list = {
		{ .client = 1, .stream = "a", .player = 7 },
		{ .client = 2, .stream = "high", .player = 7 } } };

	set_anna("deny");
	viewers_up(w.viewers, &way);
	join_variant(&way, 1, "a", 7);
	join_variant(&way, 2, "high", 7);
	set_group("a", "g");
	viewers_see(w.viewers, &way, &page);
	cr_assert(viewers_close(w.viewers, 1));
	cr_expect_eq(w.kicks, 2u, "%u", w.kicks);
	cr_expect_eq(w.kick.client, 2u);
	/* of another worker */
	viewers_see(w.viewers, &(struct viewer_way){ .send = take }, &page);
	viewers_down(w.viewers, &way);
	tear_down();
}
