/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/softcam/cam_session.h"

#include "common/base/fd.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	SCRIPT_MAX = 4096,
	SILENT_MS = 50,
	KEEPALIVE_MS = 200,
	REQUESTS = 100, /* one every 10 ms */
};

static const uint8_t greeting[NEWCAMD_GREETING] = "fourteen bytes";
static const uint8_t card_body[] = {
	0x01, 0x0b, 0x00, 0x00, 0x00, 0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6, 0x00,
};

/* A client, and the end of the server. */
struct rig {
	struct ev_loop *loop;
	struct cam_session *session;
	int server;
	bool has_card;
	int end; /* enum cam_session_end, or -1 */
	unsigned requests, answers;
	struct card card;
	uint8_t login_key[NEWCAMD_DES_KEY], session_key[NEWCAMD_DES_KEY];
};

static void on_card(const struct card *card, void *arg)
{
	struct rig *g = arg;

	g->card = *card;
	g->has_card = true;
	cam_session_free(&g->session);
	ev_break(g->loop, EVBREAK_ALL);
}

static void on_end(enum cam_session_end how, void *arg)
{
	struct rig *g = arg;

	g->end = (int)how;
	cam_session_free(&g->session);
	ev_break(g->loop, EVBREAK_ALL);
}

static void rig_open(struct rig *g, struct cam_session_config cfg)
{
	char hash[NEWCAMD_HASH + 1];
	int fds[2];

	*g = (struct rig){ .end = -1, .loop = ev_loop_new(0) };
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds),
		     0);
	g->server = fds[1];
	newcamd_key_read(NULL, cfg.key);
	newcamd_login_key(cfg.key, greeting, g->login_key);
	cr_assert_eq(newcamd_hash("testpass", hash), 0);
	newcamd_session_key(cfg.key, hash, g->session_key);
	cfg.loop = g->loop;
	cfg.fd = fds[0];
	g->session = cam_session_new(&cfg);
}

static void rig_init(struct rig *g, const char *user, unsigned timeout_ms)
{
	struct cam_session_config cfg = {
		.user = user, .password = "testpass",
		.timeout_ms = timeout_ms,
		.on_card = on_card, .on_end = on_end, .arg = g,
	};

	rig_open(g, cfg);
}

static void rig_init_with(struct rig *g,
			  void (*card)(const struct card *, void *),
			  void (*message)(const struct newcamd_msg *, void *))
{
	struct cam_session_config cfg = {
		.user = "olga", .password = "testpass", .timeout_ms = 5000,
		.keepalive_ms = KEEPALIVE_MS, .on_card = card,
		.on_message = message, .on_end = on_end, .arg = g,
	};

	rig_open(g, cfg);
}

static void rig_done(struct rig *g)
{
	cam_session_free(&g->session);
	fd_close(&g->server);
	ev_loop_destroy(g->loop);
}

static size_t add(uint8_t *to, const uint8_t *key, uint8_t type,
		  const void *body, size_t len)
{
	struct newcamd_msg m = { .type = type, .body = body, .len = len };
	ssize_t n = newcamd_write(key, &m, to);

	cr_assert_gt(n, 0);
	return (size_t)n;
}

/* All that a good server sends. */
static size_t script(const struct rig *g, uint8_t *to)
{
	size_t n = sizeof greeting;

	memcpy(to, greeting, n);
	n += add(to + n, g->login_key, NEWCAMD_LOGIN_ACK, NULL, 0);
	n += add(to + n, g->session_key, NEWCAMD_KEEPALIVE, NULL, 0);
	return n + add(to + n, g->session_key, NEWCAMD_CARD, card_body,
		       sizeof card_body);
}

static void say(const struct rig *g, const uint8_t *data, size_t n)
{
	cr_assert_eq(write(g->server, data, n), (ssize_t)n);
}

static void run(struct rig *g)
{
	ev_run(g->loop, 0);
}

Test(cam_session, a_login_has_user_and_hash_and_then_the_card_is_asked_for)
{
	uint8_t data[SCRIPT_MAX], sent[SCRIPT_MAX];
	struct newcamd_msg m;
	struct rig g;
	ssize_t n, first;

	rig_init(&g, "olga", 5000);
	say(&g, data, script(&g, data));
	run(&g);
	cr_assert(g.has_card);
	cr_assert_eq(g.card.caid, 0x0b00);
	n = read(g.server, sent, sizeof sent);
	cr_assert_gt(n, 2);
	first = newcamd_frame_len(sent);
	cr_assert_eq(newcamd_read(g.login_key, sent, (size_t)first, &m), 0);
	cr_assert_eq(m.type, NEWCAMD_LOGIN);
	cr_assert_eq(m.id, 0);
	cr_assert_eq(m.sid, 0x8888);
	cr_assert_eq(m.len, 5 + NEWCAMD_HASH + 1);
	cr_assert_str_eq((const char *)m.body, "olga");
	cr_assert_str_eq((const char *)m.body + 5,
			 "$1$abcdefgh$6gJwl2Gq42UpQ648BHSDI0");
	cr_assert_eq(newcamd_read(g.session_key, sent + first,
				  (size_t)(n - first), &m), 0);
	cr_assert_eq(m.type, NEWCAMD_CARD_REQUEST);
	cr_assert_eq(m.id, 1);
	cr_assert_eq(m.len, 0);
	rig_done(&g);
}

Test(cam_session, frames_may_come_byte_by_byte)
{
	uint8_t data[SCRIPT_MAX];
	struct rig g;
	size_t n;

	rig_init(&g, "olga", 5000);
	n = script(&g, data);
	for (size_t i = 0; i < n; i++) {
		say(&g, data + i, 1);
		ev_run(g.loop, EVRUN_NOWAIT);
	}
	cr_assert(g.has_card);
	rig_done(&g);
}

Test(cam_session, a_connection_that_is_cut_at_any_byte_ends_at_once)
{
	uint8_t data[SCRIPT_MAX];
	struct rig g;
	size_t n, ack;

	rig_init(&g, "olga", 5000);
	n = script(&g, data);
	ack = sizeof greeting + (size_t)newcamd_frame_len(data +
							   sizeof greeting);
	rig_done(&g);
	for (size_t cut = 0; cut < n; cut++) {
		rig_init(&g, "olga", 5000);
		script(&g, data);
		say(&g, data, cut);
		cr_assert_eq(shutdown(g.server, SHUT_WR), 0);
		run(&g);
		cr_assert_not(g.has_card);
		cr_assert_eq(g.end, cut >= sizeof greeting && cut < ack
					    ? CAM_DENIED : CAM_CLOSED,
			     "%zu: %d", cut, g.end);
		rig_done(&g);
	}
}

Test(cam_session, a_server_that_stops_at_any_byte_has_its_time)
{
	uint8_t data[SCRIPT_MAX];
	struct rig g;
	size_t n;

	rig_init(&g, "olga", 5000);
	n = script(&g, data);
	rig_done(&g);
	for (size_t cut = 0; cut < n; cut += 5) {
		rig_init(&g, "olga", SILENT_MS);
		script(&g, data);
		say(&g, data, cut);
		run(&g);
		cr_assert_eq(g.end, CAM_SILENT, "%zu: %d", cut, g.end);
		rig_done(&g);
	}
}

Test(cam_session, a_refused_login_is_told_from_a_malformed_answer)
{
	static const struct {
		uint8_t type;
		int end;
	} rows[] = {
		{ NEWCAMD_LOGIN_NAK, CAM_DENIED },
		{ NEWCAMD_CARD, CAM_MALFORMED },
		{ NEWCAMD_KEEPALIVE, CAM_MALFORMED },
		{ 0x80, CAM_MALFORMED },
	};
	uint8_t data[SCRIPT_MAX];
	struct rig g;
	size_t n;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		rig_init(&g, "olga", 5000);
		memcpy(data, greeting, sizeof greeting);
		n = sizeof greeting;
		n += add(data + n, g.login_key, rows[i].type, NULL, 0);
		say(&g, data, n);
		run(&g);
		cr_assert_eq(g.end, rows[i].end, "%zu: %d", i, g.end);
		rig_done(&g);
	}
}

Test(cam_session, a_card_of_another_type_or_length_is_malformed)
{
	uint8_t data[SCRIPT_MAX];
	struct rig g;
	size_t n;

	for (unsigned i = 0; i < 3; i++) {
		rig_init(&g, "olga", 5000);
		memcpy(data, greeting, sizeof greeting);
		n = sizeof greeting;
		n += add(data + n, g.login_key, NEWCAMD_LOGIN_ACK, NULL, 0);
		n += add(data + n, i == 2 ? g.login_key : g.session_key,
			 i == 0 ? NEWCAMD_LOGIN_ACK : NEWCAMD_CARD, card_body,
			 i == 1 ? sizeof card_body - 1 : sizeof card_body);
		say(&g, data, n);
		run(&g);
		cr_assert_eq(g.end, CAM_MALFORMED, "%u: %d", i, g.end);
		rig_done(&g);
	}
}

Test(cam_session, any_bytes_end_it_in_time)
{
	uint8_t data[SCRIPT_MAX];
	struct rig g;

	srand(7);
	for (unsigned i = 0; i < 200; i++) {
		rig_init(&g, "olga", SILENT_MS);
		for (size_t k = 0; k < 200; k++)
			data[k] = (uint8_t)rand();
		memcpy(data, greeting, i % 2 ? sizeof greeting : 0);
		if (i % 4 > 1)
			memcpy(data + sizeof greeting, "\0\x10", 2);
		say(&g, data, 200);
		run(&g);
		cr_assert_not(g.has_card);
		cr_assert_geq(g.end, 0);
		rig_done(&g);
	}
}

static void stay(const struct card *card, void *arg)
{
	(void)card;
	((struct rig *)arg)->has_card = true;
}

static void ignore(const struct newcamd_msg *m, void *arg)
{
	(void)m, (void)arg;
}

/* Asks about an ECM every few milliseconds. */
static void on_ask(struct ev_loop *loop, ev_timer *w, int revents)
{
	static const uint8_t body[16];
	struct newcamd_msg m = { .type = 0x80, .body = body,
				 .len = sizeof body };
	struct rig *g = w->data;
	uint8_t frame[NEWCAMD_FRAME_MAX];
	size_t n;

	(void)revents;
	/* a busy machine runs this and the end in one turn of the loop */
	if (g->session == NULL)
		return;
	(void)!cam_session_send(g->session, &m);
	g->requests++;
	if (g->requests == REQUESTS) {
		ev_break(loop, EVBREAK_ALL);
	} else if (g->answers) {
		n = add(frame, g->session_key, 0x80, NULL, 0);
		say(g, frame, n);
	}
}

/* Requests alone are no sign of life: a server whose machine has gone. */
Test(cam_session, a_server_that_answers_no_request_is_given_up)
{
	for (unsigned answers = 0; answers < 2; answers++) {
		uint8_t data[SCRIPT_MAX];
		ev_timer timer;
		struct rig g;

		rig_init_with(&g, stay, ignore);
		g.answers = answers;
		say(&g, data, script(&g, data));
		ev_timer_init(&timer, on_ask, 0.1, 0.01);
		timer.data = &g;
		ev_timer_start(g.loop, &timer);
		run(&g);
		ev_timer_stop(g.loop, &timer);
		cr_assert(g.has_card);
		cr_assert_eq(g.end, answers ? -1 : CAM_SILENT);
		rig_done(&g);
	}
}

/* How much the server has received since the last call. */
static size_t drain(const struct rig *g)
{
	uint8_t sent[SCRIPT_MAX];
	ssize_t n = read(g->server, sent, sizeof sent);

	return n > 0 ? (size_t)n : 0;
}

/* A process that got no processor does not give up a server that answered. */
Test(cam_session, an_answer_that_waits_is_read_before_its_time_is_judged)
{
	uint8_t data[SCRIPT_MAX];
	struct rig g;

	rig_init_with(&g, stay, ignore);
	say(&g, data, script(&g, data));
	while (!g.has_card)
		ev_run(g.loop, EVRUN_ONCE);
	(void)drain(&g);
	while (drain(&g) == 0)
		ev_run(g.loop, EVRUN_ONCE);
	say(&g, data, add(data, g.session_key, NEWCAMD_KEEPALIVE, NULL, 0));
	cr_assert_eq(poll(NULL, 0, KEEPALIVE_MS + 10), 0);
	ev_run(g.loop, EVRUN_NOWAIT);
	cr_assert_eq(g.end, -1);
	rig_done(&g);
}
