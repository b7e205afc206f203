/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/master/viewers/viewers_rig.h"

#include "common/base/errmsg.h"

#include <stdio.h>

enum { MOST = 3 };

static enum ask_verdict ask(struct viewer_way *way, uint64_t client)
{
	unsigned before = w.answers;

	send_ask(way, &(struct msg_deliver_ask){
		.client = client, .query = "", .free = true });
	cr_assert_eq(w.answers, before + 1);
	return w.verdict;
}

static void report(struct viewer_way *way, uint64_t joined, uint64_t left)
{
	struct msg_deliver_changes changes = {
		.n_joined = joined != 0, .n_left = left != 0,
		.joined = { { .client = joined, .stream = "a",
			      .peer = "192.0.2.1", .login = "", .agent = "",
			      .protocol = "srt" } },
		.left = { left },
	};

	viewers_report(w.viewers, way, &changes);
}

Test(viewers, a_worker_has_no_more_viewers_than_it_may_have)
{
	struct viewer_way one = { .send = take, .max = MOST };
	struct viewer_way other = { .send = take };

	set_up();
	viewers_up(w.viewers, &one);
	viewers_up(w.viewers, &other);
	for (uint64_t i = 1; i <= MOST; i++)
		cr_assert_eq(ask(&one, i), ASK_ALLOWED);
	cr_assert_eq(ask(&one, MOST + 1), ASK_BUSY);
	report(&one, MOST + 2, 0);
	cr_assert_eq(one.n, (size_t)MOST);
	cr_assert_eq(ask(&one, 1), ASK_ALLOWED, "it has its place");
	cr_assert_eq(ask(&other, MOST + 1), ASK_ALLOWED);
	/* a viewer leaves its place to another one */
	report(&one, 0, 1);
	cr_assert_eq(ask(&one, MOST + 2), ASK_ALLOWED);
	cr_assert_eq(ask(&one, 1), ASK_BUSY);
	viewers_down(w.viewers, &one);
	cr_assert_eq(one.n, 0u);
	cr_assert_eq(other.n, 1u);
	tear_down();
}

/* A worker that the next master adopts reports its viewers again. */
Test(viewers, a_viewer_that_is_reported_again_joins_once)
{
	struct viewer_way one = { .send = take };

	set_up();
	viewers_up(w.viewers, &one);
	report(&one, 1, 0);
	report(&one, 1, 0);
	cr_expect_eq(w.joined, 1u);
	report(&one, 0, 1);
	cr_expect_eq(w.left, 1u);
	report(&one, 1, 0);
	cr_expect_eq(w.joined, 2u);
	viewers_down(w.viewers, &one);
	cr_expect_eq(w.left, 2u);
	tear_down();
}

static enum ask_verdict ask_preview(struct viewer_way *way, const char *token)
{
	static uint64_t client;
	unsigned before = w.answers;
	char query[VIEWER_PREVIEW_TOKEN + 6];

	(void)snprintf(query, sizeof query, "token=%s", token);
	send_ask(way, &(struct msg_deliver_ask){ .client = ++client,
						 .query = query });
	cr_assert_eq(w.answers, before + 1);
	return w.verdict;
}

static void set_auth(json_t *take_denied)
{
	config_set_section(w.config, "auth",
			   json_pack("{s:b, s:o}", "enable", 1,
				     "http_ip_deny", take_denied));
	viewers_changed(w.viewers);
}

static void put_user(const char *login, const char *cipher)
{
	config_put_user(w.config, login,
			json_pack("{s:b, s:i, s:s}", "enable", 1, "type", 2,
				  "cipher", cipher));
	viewers_user_changed(w.viewers, login);
}

/* A table of them is searched, instead of all users. */
Test(viewers, only_preview_tokens_that_were_given_out_are_known)
{
	enum { KNOWN = 256 };
	struct viewer_way way = { .send = take };
	char olga[VIEWER_PREVIEW_TOKEN], other[VIEWER_PREVIEW_TOKEN];
	char login[16];

	set_up();
	set_auth(json_array());
	viewers_up(w.viewers, &way);
	put_user("olga", "x");
	cr_assert(viewers_preview_token(w.viewers, "olga", olga));
	cr_assert_not(viewers_preview_token(w.viewers, "nobody", other));
	cr_expect_eq(ask_preview(&way, olga), ASK_ALLOWED);
	/* every request of the page gets the same one */
	for (unsigned i = 0; i < 2 * KNOWN; i++)
		cr_assert(viewers_preview_token(w.viewers, "olga", other));
	cr_expect_str_eq(other, olga);
	cr_expect_eq(ask_preview(&way, olga), ASK_ALLOWED);
	for (unsigned i = 0; i < KNOWN; i++) {
		(void)snprintf(login, sizeof login, "u%u", i);
		put_user(login, "x");
		cr_assert(viewers_preview_token(w.viewers, login, other));
	}
	cr_expect_eq(ask_preview(&way, olga), ASK_DENIED);
	cr_expect_eq(ask_preview(&way, other), ASK_ALLOWED);
	/* another password */
	put_user(login, "y");
	cr_expect_eq(ask_preview(&way, other), ASK_DENIED);
	viewers_down(w.viewers, &way);
	tear_down();
}

Test(viewers, http_ip_deny_precedes_the_token_of_a_preview)
{
	struct viewer_way way = { .send = take };
	char olga[VIEWER_PREVIEW_TOKEN];

	set_up();
	set_auth(json_pack("[s]", "192.0.2.0/24"));
	viewers_up(w.viewers, &way);
	put_user("olga", "x");
	cr_assert(viewers_preview_token(w.viewers, "olga", olga));
	cr_expect_eq(ask_preview(&way, olga), ASK_DENIED);
	set_auth(json_array());
	cr_expect_eq(ask_preview(&way, olga), ASK_ALLOWED);
	viewers_down(w.viewers, &way);
	tear_down();
}

static void adopt(const char *document)
{
	json_t *all = json_loads(document, 0, NULL);

	cr_assert_not_null(all, "%s", document);
	config_replace(w.config, all, true);
	json_decref(all);
	viewers_changed(w.viewers);
}

Test(viewers, either_key_makes_the_workers_read_the_address_of_a_proxy)
{
	struct viewer_way way = { .send = take };

	set_up();
	viewers_up(w.viewers, &way);
	cr_expect_not(w.real_ip);
	adopt("{\"settings\":{\"allow_real_ip\":true}}");
	cr_expect(w.real_ip);
	adopt("{\"settings\":{}}");
	cr_expect_not(w.real_ip);
	adopt("{\"auth\":{\"x_real_ip\":true}}");
	cr_expect(w.real_ip);
	viewers_down(w.viewers, &way);
	tear_down();
}

Test(viewers, a_stream_has_as_many_as_its_outputs_serve)
{
	struct stream_proc p = { .removed = false };

	stream_receivers_init(&p);
	cr_assert_eq(p.way.max,
		     (size_t)MSG_OUTPUTS_MAX * MSG_RECEIVERS_MAX);
}

/* --- the places of a user --- */

/* The client closed nothing: its worker knows when it made its last request. */
Test(viewers, a_client_of_hls_that_left_gives_its_place)
{
	struct viewer_way way = { .send = take };
	unsigned kicks;

	set_anna("deny");
	viewers_up(w.viewers, &way);
	ask_anna(&way, 1, 7);
	cr_assert_eq(w.verdict, ASK_ALLOWED);
	report_anna(&way, 1, 7);
	ask_anna(&way, 2, 8);
	cr_assert_eq(w.kicks, 1u);
	cr_assert_eq(w.kick.client, 1u);
	cr_assert(w.kick.idle);
	/* another one that waits asks for nothing more at the same time */
	ask_anna(&way, 3, 9);
	cr_assert_eq(w.kicks, 1u);
	report(&way, 0, 3);
	/* it plays for a second */
	while (w.kicks < 7)
		ev_run(w.loop, EVRUN_ONCE);
	cr_assert_eq(w.answers, 1u);
	report(&way, 0, 1);
	while (w.answers < 2)
		ev_run(w.loop, EVRUN_ONCE);
	cr_assert_eq(w.verdict, ASK_ALLOWED);
	report_anna(&way, 2, 8);
	/* a viewer by HTTP gets its answer soon */
	kicks = w.kicks;
	ask_anna(&way, 4, 0);
	while (w.answers < 3)
		ev_run(w.loop, EVRUN_ONCE);
	cr_assert_eq(w.verdict, ASK_DENIED);
	cr_assert_geq(w.kicks, kicks + 2);
	cr_assert_leq(w.kicks, kicks + 6);
	viewers_down(w.viewers, &way);
	tear_down();
}

Test(viewers, a_viewer_by_http_is_no_client_that_may_have_left)
{
	struct viewer_way way = { .send = take };

	set_anna("deny");
	viewers_up(w.viewers, &way);
	ask_anna(&way, 1, 0);
	report_anna(&way, 1, 0);
	ask_anna(&way, 2, 8);
	for (unsigned i = 0; i < 10 && w.answers < 2; i++)
		ev_run(w.loop, EVRUN_ONCE);
	cr_assert_eq(w.answers, 2u);
	cr_assert_eq(w.verdict, ASK_DENIED);
	cr_assert_eq(w.kicks, 0u);
	viewers_down(w.viewers, &way);
	tear_down();
}

/* Its worker refuses the client that a limit ended for a shorter time. */
Test(viewers, the_worker_learns_that_a_limit_ended_a_client)
{
	struct viewer_way way = { .send = take };

	set_anna("oldest");
	viewers_up(w.viewers, &way);
	ask_anna(&way, 1, 7);
	report_anna(&way, 1, 7);
	ask_anna(&way, 2, 8);
	cr_assert_eq(w.verdict, ASK_ALLOWED);
	cr_assert_eq(w.kick.client, 1u);
	cr_assert(w.kick.limit && !w.kick.idle);
	report_anna(&way, 2, 8);
	cr_assert(viewers_close(w.viewers, 2));
	cr_assert_eq(w.kick.client, 2u);
	cr_assert_not(w.kick.limit || w.kick.idle);
	viewers_down(w.viewers, &way);
	tear_down();
}

static void ask_by_head(struct viewer_way *way, uint64_t client)
{
	send_ask(way, &(struct msg_deliver_ask){ .client = client,
						 .probe = true });
}

Test(viewers, a_request_by_head_takes_no_place)
{
	struct viewer_way way = { .send = take };

	set_anna("oldest");
	viewers_up(w.viewers, &way);
	ask_by_head(&way, 1);
	ask_anna(&way, 2, 0);
	report_anna(&way, 2, 0);
	ask_by_head(&way, 3);
	cr_assert_eq(w.answers, 3u);
	cr_assert_eq(w.verdict, ASK_ALLOWED);
	cr_assert_eq(w.kicks, 0u);
	viewers_down(w.viewers, &way);
	tear_down();
}

/* As to the request by GET that may follow. */
Test(viewers, a_request_by_head_learns_that_there_is_no_place)
{
	struct viewer_way way = { .send = take };

	set_anna("deny");
	viewers_up(w.viewers, &way);
	ask_by_head(&way, 1);
	ask_anna(&way, 2, 0);
	cr_assert_eq(w.verdict, ASK_ALLOWED);
	report_anna(&way, 2, 0);
	ask_by_head(&way, 3);
	for (unsigned i = 0; i < 10 && w.answers < 3; i++)
		ev_run(w.loop, EVRUN_ONCE);
	cr_assert_eq(w.verdict, ASK_DENIED);
	viewers_down(w.viewers, &way);
	tear_down();
}

Test(viewers, a_request_by_head_of_hls_ends_no_session_and_waits_for_none)
{
	struct viewer_way way = { .send = take };

	set_anna("deny");
	viewers_up(w.viewers, &way);
	ask_anna(&way, 1, 7);
	report_anna(&way, 1, 7);
	send_ask(&way, &(struct msg_deliver_ask){ .client = 2, .key = 8,
						  .probe = true });
	cr_assert_eq(w.answers, 2u);
	cr_assert_eq(w.verdict, ASK_DENIED);
	cr_assert_eq(w.kicks, 0u);
	viewers_down(w.viewers, &way);
	tear_down();
}

static void put_anna(const char *cipher)
{
	config_put_user(w.config, "anna", json_pack("{s:b, s:i, s:s, s:s, s:i}",
		"enable", 1, "type", 3, "token", "anna", "cipher", cipher,
		"conlimit", 1));
	viewers_user_changed(w.viewers, "anna");
}

/* A viewer with a password waits for a place. */
Test(viewers, a_password_that_changes_meanwhile_is_checked_again)
{
	struct viewer_way way = { .send = take };

	set_anna("deny");
	put_anna("$y$old");
	viewers_up(w.viewers, &way);
	ask_anna(&way, 1, 0);
	report_anna(&way, 1, 0);
	send_ask(&way, &(struct msg_deliver_ask){
		.client = 2, .query = "auth=anna:old" });
	cr_assert_eq(w.checks, 1u);
	job.cfg.on_done(AUTH_OK, "", job.cfg.arg);
	cr_assert_eq(w.answers, 1u, "there is no place");
	put_anna("$y$new");
	report(&way, 0, 1);
	while (w.answers < 2 && w.checks < 2)
		ev_run(w.loop, EVRUN_ONCE);
	cr_assert_eq(w.checks, 2u);
	job.cfg.on_done(AUTH_WRONG, "", job.cfg.arg);
	cr_assert_eq(w.verdict, ASK_DENIED);
	viewers_down(w.viewers, &way);
	tear_down();
}
