/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/viewers.h"

#include "common/base/errmsg.h"
#include "common/supervise/auth_proc.h"
#include "master/auth/password_check.h"
#include "master/config/config.h"
#include "master/streams/stream_proc_state.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <stdio.h>

enum { MOST = 3 };

static struct world {
	struct ev_loop *loop;
	struct config *config; /* empty: everybody may watch */
	struct gate *gate;
	unsigned checks; /* of passwords */
	struct viewers *viewers;
	enum ask_verdict verdict; /* of the last answer */
	unsigned answers;
	bool real_ip; /* of the last policy, as the next one */
	bool shared;
	struct msg_deliver_kick kick; /* the last one */
	unsigned kicks;
	uint64_t reviewed; /* a bit for each client, up to 63 */
} w;

/* The worker's job: the last one that began. */
static struct auth_job {
	struct auth_job_config cfg;
} job;

struct auth_job *auth_job_new(struct auth_proc *p,
			      const struct auth_job_config *cfg)
{
	(void)p;
	job.cfg = *cfg;
	w.checks++;
	return &job;
}

void auth_job_cancel(struct auth_job **j)
{
	*j = NULL;
}

static void take(const struct msg *m, void *arg)
{
	(void)arg;
	if (m->type == MSG_DELIVER_POLICY) {
		w.real_ip = m->deliver_policy.real_ip;
		w.shared = m->deliver_policy.shared;
	}
	if (m->type == MSG_DELIVER_KICK) {
		w.kick = m->deliver_kick;
		w.kicks++;
	}
	if (m->type == MSG_DELIVER_REVIEW)
		w.reviewed |= UINT64_C(1) << m->deliver_review.client;
	if (m->type != MSG_DELIVER_ANSWER)
		return;
	w.verdict = m->deliver_answer.verdict;
	w.answers++;
}

static void set_up(void)
{
	struct errmsg error;

	w.loop = ev_loop_new(EVFLAG_AUTO);
	w.config = config_open(NULL, w.loop, &error);
	w.gate = gate_new(&(struct gate_config){
		.loop = w.loop, .config = w.config,
	});
	w.viewers = viewers_new(&(struct viewers_config){
		.loop = w.loop, .config = w.config, .gate = w.gate,
	});
}

static void tear_down(void)
{
	viewers_free(&w.viewers);
	gate_free(&w.gate);
	config_close(&w.config);
	ev_loop_destroy(w.loop);
}

/* A question of a worker; texts that are not set are those of all tests. */
static void send_ask(struct viewer_way *way, const struct msg_deliver_ask *ask)
{
	struct msg_deliver_ask all = *ask;

	all.stream = ask->stream != NULL ? ask->stream : "a";
	all.query = ask->query != NULL ? ask->query : "token=anna";
	all.protocol = ask->key != 0 ? "hls" : "http";
	all.peer = "192.0.2.1";
	all.host = all.path = all.agent = "";
	viewers_ask(w.viewers, way, &all, 1);
}

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

/* Asks about a client of HLS, or a viewer (key 0), with the token of anna. */
static void ask_anna(struct viewer_way *way, uint64_t client, uint64_t key)
{
	send_ask(way, &(struct msg_deliver_ask){ .client = client,
						 .key = key });
}

static void join_anna(struct viewer_way *way, const struct msg_session *s)
{
	struct msg_deliver_changes changes = { .n_joined = 1 };

	changes.joined[0] = *s;
	changes.joined[0].peer = "192.0.2.1";
	changes.joined[0].login = "anna";
	changes.joined[0].agent = "";
	changes.joined[0].protocol = "hls";
	viewers_report(w.viewers, way, &changes);
}

static void report_anna(struct viewer_way *way, uint64_t client, uint64_t key)
{
	join_anna(way, &(struct msg_session){ .client = client, .stream = "a",
					      .key = key });
}

static void set_anna(const char *mode)
{
	json_t *all = json_pack("{s:[{s:s}, {s:s, s:s}, {s:s, s:s}], "
				"s:{s:b, s:s}, s:{s:o}}",
		"make_stream", "id", "a", "id", "low", "hls_group", "g",
		"id", "high", "hls_group", "g",
		"auth", "enable", 1, "conlimit_mode", mode,
		"users", "anna", json_pack("{s:b, s:i, s:s, s:i}", "enable", 1,
			"type", 3, "token", "anna", "conlimit", 1));

	set_up();
	config_replace(w.config, all, true);
	json_decref(all);
	viewers_changed(w.viewers);
}

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

static void join_variant(struct viewer_way *way, uint64_t client,
			 const char *stream, uint64_t player)
{
	join_anna(way, &(struct msg_session){
		.client = client, .stream = stream, .key = 100 + client,
		.player = player });
}

/* Asks about a variant of a master playlist. */
static void ask_variant(struct viewer_way *way, uint64_t client,
			const char *stream, uint64_t player)
{
	send_ask(way, &(struct msg_deliver_ask){ .client = client,
		.stream = stream, .key = 100 + client, .player = player });
	join_variant(way, client, stream, player);
}

Test(viewers, a_player_of_variants_has_one_place)
{
	struct viewer_way way = { .send = take };

	set_anna("oldest");
	viewers_up(w.viewers, &way);
	ask_variant(&way, 1, "low", 7);
	ask_variant(&way, 2, "high", 7);
	cr_assert_eq(w.answers, 2u);
	cr_assert_eq(w.verdict, ASK_ALLOWED);
	cr_assert_eq(w.kicks, 0u);
	/* another player ends all of it */
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

Test(viewers, a_closed_session_ends_all_variants_of_its_player)
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
	report(&way, 0, 1);
	report(&way, 0, 2);
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
Test(viewers, reports_name_the_player_of_variants)
{
	struct viewer_way way = { .send = take };

	set_anna("deny");
	viewers_up(w.viewers, &way);
	join_variant(&way, 1, "low", 7);
	join_variant(&way, 2, "high", 7);
	cr_expect_not(w.shared);
	cr_assert(viewers_close(w.viewers, 2));
	/* about every variant that the player begins */
	cr_expect(w.shared);
	cr_expect_eq(w.kicks, 2u, "%u", w.kicks);
	cr_expect_eq(w.kick.client, 1u);
	viewers_down(w.viewers, &way);
	tear_down();
}

/* One of them has the place of the user. */
Test(viewers, a_change_of_a_user_reviews_all_that_it_watches)
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
