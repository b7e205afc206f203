/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/hls_sessions.h"

#include "common/base/session_number.h"
#include "worker/deliver/door.h"
#include "worker/deliver/mount.h"
#include "worker/deliver/viewer_conn.h"
#include "worker/deliver/viewer_session.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <stdio.h>

enum { IDLE_MS = 1000, RELOAD_MS = 200 };

static struct ev_loop *loop;
static struct sessions *all;
static struct door *door;
static struct hls_sessions *hls;
static struct mount live;
static unsigned asked, served;
static uint32_t last_seq;
static uint64_t last_client, last_player;
static bool last_probe;
static enum ask_verdict refused;
static const char *host; /* of the client */
static bool unlimited;
static unsigned reload;

static int on_send(const struct msg *m, void *arg)
{
	(void)arg;
	cr_assert_eq(m->type, MSG_DELIVER_ASK);
	asked++;
	last_seq = m->seq;
	last_client = m->deliver_ask.client;
	last_player = m->deliver_ask.player;
	last_probe = m->deliver_ask.probe;
	return 0;
}

static void on_serve(struct viewer_conn *c, const char *stream)
{
	(void)c, (void)stream;
	served++;
}

static void on_refuse(struct viewer_conn *c,
		      const struct msg_deliver_answer *a)
{
	(void)c;
	refused = a->verdict;
}

/* No client that plays is silent for so long. */
static unsigned reload_ms(struct mount *m)
{
	cr_assert_eq(m, &live);
	return reload;
}

static uint64_t number; /* of a session, in the path */
static bool is_index;   /* the request is that for the index, which names it */

static void on_change(void *arg)
{
	(void)arg;
}

static void begin(void)
{
	static char address[] = "play", path[] = "/live.m3u8";
	static char stream[] = "a001";

	loop = ev_loop_new(EVFLAG_NOENV);
	all = sessions_new(1000, 0, on_change, NULL);
	door = door_new(&(struct door_config){
		.loop = loop, .sessions = all, .send = on_send,
	});
	hls = hls_sessions_new(&(struct hls_sessions_config){
		.sessions = all,
		.door = door,
		.idle_ms = IDLE_MS,
		.serve = on_serve,
		.refuse = on_refuse,
		.reload_ms = reload_ms,
	});
	live = (struct mount){ .address = address, .path = path,
			       .stream = stream };
	asked = served = 0;
	refused = ASK_ALLOWED;
	host = "192.0.2.7";
	unlimited = false;
	reload = RELOAD_MS;
	number = 0;
	is_index = false;
}

static void end(void)
{
	hls_sessions_free(&hls);
	door_free(&door);
	sessions_free(&all);
	ev_loop_destroy(loop);
}

/* False: there is no such session. */
static bool visit(struct viewer_conn *c, const char *query, uint64_t now_ms)
{
	struct ip_address peer;

	cr_assert_eq(ip_parse(host, &peer), 0);
	return hls_sessions_visit(hls, c, &(struct session_config){
		.stream = live.stream, .peer = &peer, .protocol = "hls",
		.path = live.path, .query = query, .now_ms = now_ms,
		.free_entry = live.no_auth, .unlimited = unlimited,
	}, &live);
}

/* A request, of a connection of its own, that may be permitted. */
static bool request(const char *query, uint64_t now_ms)
{
	struct viewer_conn c = { .state = CONN_CLOSING,
				 .hls = { .session = number,
					  .is_index = is_index } };
	unsigned before = asked;
	bool exists = visit(&c, query, now_ms);

	/* the door has a pace */
	while (c.shared != NULL && asked == before)
		ev_run(loop, EVRUN_ONCE);
	if (c.shared != NULL)
		door_answer(door, &(struct msg_deliver_answer){
			.verdict = ASK_ALLOWED, .login = "", .location = "",
		}, last_seq);
	hls_sessions_forget(&c);
	return exists;
}

static void end_session(uint64_t client, bool limit)
{
	struct session *s = sessions_find(all, client);

	cr_assert_not_null(s);
	s->kicked = true;
	s->limited = limit;
	s->events->on_verdict(s, &(struct msg_deliver_answer){
		.verdict = ASK_DENIED, .login = "", .location = "",
	}, s->arg);
}

Test(hls_sessions, a_request_that_is_refused_prolongs_the_refusal)
{
	begin();
	request("token=a", 0);
	cr_assert_eq(served, 1u);
	end_session(last_client, false);
	for (unsigned i = 1; i <= 5; i++) {
		refused = ASK_ALLOWED;
		request("token=a", i * (IDLE_MS - 1));
		hls_sessions_expire(hls, i * (IDLE_MS - 1));
		cr_assert_eq(refused, ASK_DENIED, "request %u", i);
	}
	cr_assert_eq(served, 1u);
	/* silent for long enough */
	hls_sessions_expire(hls, 5 * (IDLE_MS - 1) + IDLE_MS);
	request("token=a", 10 * IDLE_MS);
	cr_assert_eq(served, 2u);
	end();
}

/* The question prolongs the refusal of the master; its answer changes nothing
 * in the worker. */
static void answer_again(enum ask_verdict verdict)
{
	cr_assert(last_probe);
	door_answer(door, &(struct msg_deliver_answer){
		.verdict = verdict, .login = "", .location = "",
	}, last_seq);
	cr_assert_null(sessions_find(all, last_client));
}

Test(hls_sessions, the_master_learns_of_requests_that_are_refused)
{
	uint64_t player;

	begin();
	request("token=a", 0);
	player = last_player;
	end_session(last_client, false);
	request("token=a", 500);
	cr_assert_eq(asked, 2u);
	cr_assert_eq(last_player, player);
	/* one question at a time ... */
	request("token=a", 1400);
	request("token=a", 2300);
	cr_assert_eq(asked, 2u);
	answer_again(ASK_DENIED);
	/* ... and one a second */
	request("token=a", 3000);
	cr_assert_eq(asked, 3u);
	answer_again(ASK_ALLOWED);
	request("token=a", 3999);
	cr_assert_eq(asked, 3u);
	cr_assert_eq(refused, ASK_DENIED);
	cr_assert_eq(served, 1u);
	/* it ends with its session */
	request("token=a", 4000);
	cr_assert_eq(asked, 4u);
	hls_sessions_expire(hls, 4000 + IDLE_MS);
	cr_assert_null(sessions_find(all, last_client));
	end();
}

static void on_probed(struct session *s, const struct msg_deliver_answer *a,
		      void *arg)
{
	struct viewer_conn *c = arg;

	cr_assert_eq(s, c->session);
	cr_assert(s->probe && s->key != 0 && s->player != 0);
	refused = a->verdict;
}

/* A request by HEAD; true: a session of its own was judged. */
static bool probe(const char *query, uint64_t now_ms, enum ask_verdict verdict)
{
	static const struct session_events events = { on_probed };
	struct viewer_conn c = { .state = CONN_CLOSING };
	unsigned before = asked;
	struct ip_address peer;
	bool own;

	cr_assert_eq(ip_parse(host, &peer), 0);
	cr_assert(hls_sessions_visit(hls, &c, &(struct session_config){
		.stream = live.stream, .peer = &peer, .protocol = "hls",
		.path = live.path, .query = query, .now_ms = now_ms,
		.probe = true, .events = &events, .arg = &c,
	}, &live));
	own = c.session != NULL;
	while (own && asked == before)
		ev_run(loop, EVRUN_ONCE);
	if (own)
		door_answer(door, &(struct msg_deliver_answer){
			.verdict = verdict, .login = "", .location = "",
		}, last_seq);
	cr_assert(c.shared == NULL && c.served == NULL);
	session_free(&c.session);
	return own;
}

Test(hls_sessions, a_request_by_head_begins_none_and_prolongs_none)
{
	begin();
	cr_assert(probe("token=a", 0, ASK_DENIED));
	cr_assert_eq(refused, ASK_DENIED);
	cr_assert(probe("token=a", 0, ASK_ALLOWED));
	cr_assert_eq(refused, ASK_ALLOWED);
	cr_assert_null(sessions_next(all, NULL));
	request("token=a", 0);
	cr_assert_eq(asked, 3u);
	/* its client needs no other permission */
	cr_assert_not(probe("token=a", IDLE_MS - 1, ASK_DENIED));
	cr_assert_eq(served, 2u);
	cr_assert_eq(live.n_hls, 1u);
	hls_sessions_expire(hls, IDLE_MS);
	cr_assert_eq(live.n_hls, 0u);
	/* one that was ended refuses it, and not for longer */
	request("token=b", IDLE_MS);
	end_session(last_client, false);
	cr_assert_not(probe("token=b", 2 * IDLE_MS - 1, ASK_ALLOWED));
	cr_assert_eq(refused, ASK_DENIED);
	hls_sessions_expire(hls, 2 * IDLE_MS);
	cr_assert(probe("token=b", 2 * IDLE_MS, ASK_ALLOWED));
	end();
}

/* Ends the sessions of one address that are idle, not those of others. */
Test(hls_sessions, an_address_has_a_limited_number)
{
	char query[32];

	begin();
	hls_sessions_limit(hls, 3);
	host = "192.0.2.8";
	request("token=other", 0);
	host = "192.0.2.7";
	request("token=mine", 1);
	for (unsigned i = 0; i < 100; i++) {
		(void)snprintf(query, sizeof query, "token=%u", i);
		request(query, 2 + i);
		request("token=mine", 2 + i);
	}
	cr_assert_eq(asked, 102u);
	cr_assert_eq(live.n_hls, 4u);
	request("token=99", 200);
	request("token=98", 200);
	cr_assert_eq(asked, 102u);
	request("token=97", 200);
	cr_assert_eq(asked, 103u);
	host = "192.0.2.8";
	request("token=other", 200);
	cr_assert_eq(asked, 103u);
	/* those of a proxy or this host have no limit */
	unlimited = true;
	for (unsigned i = 0; i < 10; i++) {
		(void)snprintf(query, sizeof query, "token=%u", i);
		request(query, 300);
	}
	cr_assert_eq(live.n_hls, 14u);
	end();
}

Test(hls_sessions, one_that_waits_for_its_permission_gives_its_place_too)
{
	struct viewer_conn first = { .state = CONN_ASKED };

	begin();
	hls_sessions_limit(hls, 1);
	visit(&first, "token=a", 0);
	cr_assert_not_null(first.shared);
	request("token=b", 1);
	cr_assert_eq(refused, ASK_BUSY);
	cr_assert_null(first.shared);
	cr_assert_eq(live.n_hls, 1u);
	end();
}

Test(hls_sessions, without_permissions_the_query_begins_no_other_session)
{
	const struct msg_deliver_policy open = { 0 };
	struct msg_deliver_policy closed = { .authorize = true };

	begin();
	door_set_policy(door, &open);
	request("token=a", 0);
	request("token=b", 0);
	request("x=1", 0);
	cr_assert_eq(live.n_hls, 1u);
	cr_assert_eq(served, 3u);
	/* who was not judged is judged now */
	door_set_policy(door, &closed);
	hls_sessions_judge_anew(hls);
	cr_assert_eq(live.n_hls, 0u);
	request("token=a", 0);
	request("token=b", 0);
	cr_assert_eq(asked, 2u);
	cr_assert_eq(live.n_hls, 2u);
	end();
}

Test(hls_sessions, of_a_free_mount_there_is_one_for_each_address)
{
	begin();
	live.no_auth = true;
	request("token=a", 0);
	request("token=b", 0);
	host = "192.0.2.8";
	request("auth=c", 0);
	cr_assert_eq(live.n_hls, 2u);
	cr_assert_eq(asked, 0u);
	end();
}

/* Each is judged, and another address with the same number, too. */
Test(hls_sessions, the_number_of_a_session_is_a_part_of_its_key)
{
	begin();
	hls_sessions_name(hls, true);
	number = hls_sessions_choose(hls);
	request("token=a", 0);
	request("token=a", 0);
	cr_assert_eq(live.n_hls, 1u);
	number = hls_sessions_choose(hls);
	request("token=a", 0);
	cr_assert_eq(live.n_hls, 2u);
	request("token=b", 0);
	host = "192.0.2.8";
	request("token=a", 0);
	cr_assert_eq(live.n_hls, 4u);
	cr_assert_eq(asked, 4u);
	/* where viewers need no permission, the number counts */
	live.no_auth = true;
	request("token=a", 0);
	number = hls_sessions_choose(hls);
	request("token=a", 0);
	cr_assert_eq(live.n_hls, 6u);
	end();
}

/* Another process with the seed made some, and this one none of the others. */
Test(hls_sessions, a_number_that_was_not_made_begins_none)
{
	uint64_t known;

	begin();
	live.no_auth = true;
	hls_sessions_set_seed(hls, 77);
	number = known = session_number_new(77);
	cr_assert_not(request("", 0), "without the setting none begins");
	hls_sessions_name(hls, true);
	cr_assert(request("", 0));
	for (number = 1; number < 100; number++)
		cr_assert_not(request("", 0));
	number = session_number_new(78);
	cr_assert_not(request("", 0));
	cr_assert_eq(live.n_hls, 1u);
	cr_assert_eq(served, 1u);
	hls_sessions_name(hls, false);
	number = known;
	cr_assert(request("", 0), "it exists");
	cr_assert_eq(served, 2u);
	end();
}

Test(hls_sessions, those_with_a_number_count_for_their_address)
{
	begin();
	live.no_auth = true;
	hls_sessions_limit(hls, 3);
	hls_sessions_name(hls, true);
	for (unsigned i = 0; i < 10; i++) {
		number = hls_sessions_choose(hls);
		request("", i);
	}
	cr_assert_eq(served, 10u);
	cr_assert_eq(live.n_hls, 3u);
	end();
}

static void end_idle(uint64_t client, uint64_t now_ms)
{
	hls_sessions_end_idle(sessions_find(all, client), now_ms);
}

/* Its client plays at first. */
Test(hls_sessions, one_without_requests_ends_when_its_place_is_wanted)
{
	begin();
	request("token=a", 0);
	request("token=a", 100);
	end_idle(last_client, 100 + RELOAD_MS - 1);
	cr_assert_eq(live.n_hls, 1u);
	end_idle(last_client, 100 + RELOAD_MS);
	cr_assert_eq(live.n_hls, 0u);
	/* its client comes back as any other */
	request("token=a", 101 + RELOAD_MS);
	cr_assert_eq(served, 3u);
	cr_assert_eq(asked, 2u);
	end();
}

Test(hls_sessions, a_long_answer_is_no_silence)
{
	struct viewer_conn c = { .state = CONN_ASKED };

	begin();
	request("token=a", 0);
	visit(&c, "token=a", 0);
	c.state = CONN_ANSWERING;
	end_idle(last_client, RELOAD_MS);
	cr_assert_eq(live.n_hls, 1u);
	/* its client needs a moment for the next request */
	c.state = CONN_READING;
	end_idle(last_client, 2 * RELOAD_MS - 1);
	cr_assert_eq(live.n_hls, 1u);
	end_idle(last_client, 2 * RELOAD_MS);
	cr_assert_eq(live.n_hls, 0u);
	cr_assert_null(c.served);
	end();
}

/* A player that asks twice for the index plays by the second answer. */
Test(hls_sessions, the_index_alone_takes_no_place)
{
	begin();
	reload = 6000;
	hls_sessions_name(hls, true);
	number = hls_sessions_choose(hls);
	is_index = true;
	request("token=a", 0);
	/* its player asks for the playlist at once */
	end_idle(last_client, 1999);
	cr_assert_eq(live.n_hls, 1u);
	end_idle(last_client, 2000);
	cr_assert_eq(live.n_hls, 0u);
	/* it began to play after all */
	is_index = false;
	request("token=a", 2001);
	cr_assert_eq(served, 2u);
	end_idle(last_client, 4002);
	cr_assert_eq(live.n_hls, 1u);
	end();
}

/* Its client went to another stream, and the limit ended it for that. */
Test(hls_sessions, one_that_a_limit_ended_begins_again_after_a_silence)
{
	begin();
	request("token=a", 0);
	end_session(last_client, true);
	request("token=a", RELOAD_MS - 1);
	cr_assert_eq(refused, ASK_DENIED);
	request("token=a", 2 * RELOAD_MS - 1);
	cr_assert_eq(served, 2u);
	cr_assert_eq(live.n_hls, 1u);
	cr_assert_eq(asked, 2u);
	end();
}

/* Two players would end each other in turn. */
Test(hls_sessions, one_that_a_limit_ended_refuses_a_client_that_plays_on)
{
	uint64_t now = 0;

	begin();
	request("token=a", now);
	end_session(last_client, true);
	/* else two clients would end each other */
	while ((now += RELOAD_MS / 2) < 3 * IDLE_MS) {
		hls_sessions_expire(hls, now);
		refused = ASK_ALLOWED;
		request("token=a", now);
		cr_assert_eq(refused, ASK_DENIED);
	}
	end();
}

Test(hls_sessions, the_player_of_one_is_that_of_other_mounts)
{
	uint64_t player;

	begin();
	live.number = 7;
	request("token=a", 0);
	player = last_player;
	cr_assert_neq(player, 0u);
	live.number = 8;
	request("token=a", 0);
	cr_assert_eq(asked, 2u);
	cr_assert_eq(last_player, player);
	request("token=b", 0);
	cr_assert_neq(last_player, player);
	host = "192.0.2.8";
	request("token=a", 0);
	cr_assert_neq(last_player, player);
	end();
}
