/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/hls_sessions.h"

#include "worker/deliver/door.h"
#include "worker/deliver/mount.h"
#include "worker/deliver/viewer_conn.h"
#include "worker/deliver/viewer_session.h"

#include <criterion/criterion.h>
#include <ev.h>

enum { IDLE_MS = 1000 };

static struct ev_loop *loop;
static struct sessions *all;
static struct door *door;
static struct hls_sessions *hls;
static struct mount live;
static unsigned asked, served;
static uint32_t last_seq;
static uint64_t last_client;
static enum ask_verdict refused;

static int on_send(const struct msg *m, void *arg)
{
	(void)arg;
	cr_assert_eq(m->type, MSG_DELIVER_ASK);
	asked++;
	last_seq = m->seq;
	last_client = m->deliver_ask.client;
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

static void on_change(void *arg)
{
	(void)arg;
}

static void begin(void)
{
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
	});
	live = (struct mount){ .address = (char[]){ "play" },
			       .path = (char[]){ "/live.m3u8" },
			       .stream = (char[]){ "a001" } };
	asked = served = 0;
	refused = ASK_ALLOWED;
}

static void end(void)
{
	hls_sessions_free(&hls);
	door_free(&door);
	sessions_free(&all);
	ev_loop_destroy(loop);
}

/* A request, of a connection of its own. */
static void request(const char *query, uint64_t now_ms)
{
	struct viewer_conn c = { .state = CONN_CLOSING };
	struct ip_address peer;

	cr_assert_eq(ip_parse("192.0.2.7", &peer), 0);
	hls_sessions_visit(hls, &c, &(struct session_config){
		.stream = live.stream, .peer = &peer, .protocol = "hls",
		.path = live.path, .query = query, .now_ms = now_ms,
		.free_entry = live.no_auth,
	}, &live);
	if (c.shared != NULL)
		door_answer(door, &(struct msg_deliver_answer){
			.verdict = ASK_ALLOWED, .login = "", .location = "",
		}, last_seq);
	hls_sessions_forget(&c);
}

static void kick(uint64_t client)
{
	struct session *s = sessions_find(all, client);

	cr_assert_not_null(s);
	s->kicked = true;
	s->events->on_verdict(s, &(struct msg_deliver_answer){
		.verdict = ASK_DENIED, .login = "", .location = "",
	}, s->arg);
}

Test(hls_sessions, a_request_that_is_refused_prolongs_the_refusal)
{
	begin();
	request("token=a", 0);
	cr_assert_eq(served, 1u);
	kick(last_client);
	for (unsigned i = 1; i <= 5; i++) {
		refused = ASK_ALLOWED;
		request("token=a", i * (IDLE_MS - 1));
		hls_sessions_expire(hls, i * (IDLE_MS - 1));
		cr_assert_eq(refused, ASK_DENIED, "request %u", i);
	}
	cr_assert_eq(asked, 1u);
	/* silent for long enough */
	hls_sessions_expire(hls, 5 * (IDLE_MS - 1) + IDLE_MS);
	request("token=a", 10 * IDLE_MS);
	cr_assert_eq(asked, 2u);
	cr_assert_eq(served, 2u);
	end();
}
