/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A client and a scripted server in the same loop. */
#include "worker/softcam/cam_client.h"

#include "common/base/fd.h"
#include "common/base/mono.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <netinet/in.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MESSAGES_MAX = 512, SECONDS_MAX = 20 };

/* In place of that of the library: it may fail. */
static bool is_exhausted;

int RAND_bytes(unsigned char *ret, int n)
{
	return !is_exhausted && getrandom(ret, (size_t)n, 0) == n;
}

static const uint8_t greeting[NEWCAMD_GREETING] = "fourteen bytes";
static const uint8_t card_body[] = {
	0x01, 0x0b, 0x00, 0x00, 0x00, 0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6, 0x00,
};

struct answer {
	char stream[65];
	unsigned number;
	bool found;
	uint8_t first; /* byte of the control words */
	char error[64];
};

struct rig {
	struct ev_loop *loop;
	struct cam_client *client;
	int listener, server;
	bool logged_in; /* of the server: the next frame has the session key */
	unsigned cards, errors;
	char error[64];
	size_t n_seen, n_answers;
	struct newcamd_msg seen[MESSAGES_MAX]; /* without bodies */
	uint8_t bodies[MESSAGES_MAX]; /* their first bytes */
	struct answer answers[MESSAGES_MAX];
	uint8_t key[NEWCAMD_KEY];
	uint8_t login_key[NEWCAMD_DES_KEY], session_key[NEWCAMD_DES_KEY];
	ev_timer deadline;
	ev_io on_frame, on_client;
	size_t have;
	uint8_t received[4 * NEWCAMD_FRAME_MAX];
};

static void on_card(const struct card *card, void *arg)
{
	struct rig *g = arg;

	cr_assert_eq(card->caid, 0x0b00);
	g->cards++;
}

static void on_error(const char *error, void *arg)
{
	struct rig *g = arg;

	g->errors++;
	(void)snprintf(g->error, sizeof g->error, "%s", error);
}

static void on_words(const struct ecm_asker *asker, const uint8_t *words,
		     const char *error, void *arg)
{
	struct rig *g = arg;
	struct answer *a = &g->answers[g->n_answers++];

	cr_assert_leq(g->n_answers, MESSAGES_MAX);
	(void)snprintf(a->stream, sizeof a->stream, "%s", asker->stream);
	a->number = asker->number;
	a->found = words != NULL;
	if (words != NULL)
		a->first = words[0];
	(void)snprintf(a->error, sizeof a->error, "%s",
		       error != NULL ? error : "");
}

/* --- the server --- */

static void send_message(struct rig *g, uint8_t type, uint16_t id,
			 const void *body, size_t len)
{
	struct newcamd_msg m = { .type = type, .id = id, .body = body,
				 .len = len };
	uint8_t frame[NEWCAMD_FRAME_MAX];
	ssize_t n = newcamd_write(g->logged_in ? g->session_key : g->login_key,
				  &m, frame);

	cr_assert_eq(write(g->server, frame, (size_t)n), n);
}

static void take_frame(struct rig *g, uint8_t *frame, size_t len)
{
	struct newcamd_msg m;

	cr_assert_eq(newcamd_read(g->logged_in ? g->session_key : g->login_key,
				  frame, len, &m), 0);
	if (m.type == NEWCAMD_LOGIN) {
		send_message(g, NEWCAMD_LOGIN_ACK, 0, NULL, 0);
		g->logged_in = true;
	} else if (m.type == NEWCAMD_CARD_REQUEST) {
		send_message(g, NEWCAMD_CARD, m.id, card_body,
			     sizeof card_body);
	} else {
		cr_assert_lt(g->n_seen, MESSAGES_MAX);
		g->bodies[g->n_seen] = m.len > 0 ? m.body[0] : 0;
		g->seen[g->n_seen++] = m;
	}
}

static void on_frame(struct ev_loop *loop, ev_io *w, int revents)
{
	struct rig *g = w->data;
	ssize_t n = read(g->server, g->received + g->have,
			 sizeof g->received - g->have);

	(void)revents;
	if (n <= 0) {
		ev_io_stop(loop, w);
		return;
	}
	g->have += (size_t)n;
	while (g->have >= 2) {
		ssize_t len = newcamd_frame_len(g->received);

		cr_assert_gt(len, 0);
		if (g->have < (size_t)len)
			return;
		take_frame(g, g->received, (size_t)len);
		g->have -= (size_t)len;
		memmove(g->received, g->received + len, g->have);
	}
}

static void on_client(struct ev_loop *loop, ev_io *w, int revents)
{
	struct rig *g = w->data;

	(void)revents;
	ev_io_stop(loop, &g->on_frame);
	fd_close(&g->server);
	g->server = accept(g->listener, NULL, NULL);
	g->logged_in = false;
	g->have = 0;
	cr_assert_eq(write(g->server, greeting, sizeof greeting),
		     (ssize_t)sizeof greeting);
	ev_io_set(&g->on_frame, g->server, EV_READ);
	ev_io_start(loop, &g->on_frame);
}

static void on_deadline(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop, (void)w, (void)revents;
	cr_assert_fail("it takes too long");
}

static void rig_init(struct rig *g, unsigned timeout_ms)
{
	struct cam_client_config cfg = {
		.host = "127.0.0.1", .user = "u", .password = "testpass",
		.timeout_ms = timeout_ms,
		.on_card = on_card, .on_error = on_error, .on_words = on_words,
		.arg = g,
	};
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof a;
	char hash[NEWCAMD_HASH + 1];

	memset(g, 0, sizeof *g);
	g->loop = cfg.loop = ev_loop_new(0);
	g->server = -1;
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	g->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	cr_assert_eq(bind(g->listener, (struct sockaddr *)&a, len), 0);
	cr_assert_eq(listen(g->listener, 4), 0);
	cr_assert_eq(getsockname(g->listener, (struct sockaddr *)&a, &len), 0);
	newcamd_key_read(NULL, cfg.key);
	newcamd_login_key(cfg.key, greeting, g->login_key);
	cr_assert_eq(newcamd_hash("testpass", hash), 0);
	newcamd_session_key(cfg.key, hash, g->session_key);
	ev_io_init(&g->on_client, on_client, g->listener, EV_READ);
	ev_init(&g->on_frame, on_frame);
	g->on_client.data = g->on_frame.data = g;
	ev_io_start(g->loop, &g->on_client);
	ev_timer_init(&g->deadline, on_deadline, SECONDS_MAX, 0.);
	ev_timer_start(g->loop, &g->deadline);
	cfg.port = ntohs(a.sin_port);
	g->client = cam_client_new(&cfg);
}

static void rig_done(struct rig *g)
{
	cam_client_free(&g->client);
	ev_io_stop(g->loop, &g->on_client);
	ev_io_stop(g->loop, &g->on_frame);
	ev_timer_stop(g->loop, &g->deadline);
	fd_close(&g->listener);
	fd_close(&g->server);
	ev_loop_destroy(g->loop);
}

#define RUN_UNTIL(g, condition) \
	while (!(condition)) \
		ev_run((g)->loop, EVRUN_ONCE)

static void ask(struct rig *g, unsigned ecm, const char *stream,
		unsigned number)
{
	struct ecm e = { .sid = 1, .caid = 0x0b00, .len = 4,
			 .section = { 0x80, 0x70, 1, (uint8_t)ecm } };
	struct ecm_asker a = { .number = number };

	(void)snprintf(a.stream, sizeof a.stream, "%s", stream);
	cam_client_ecm(g->client, &e, &a);
}

static void reply(struct rig *g, size_t i, uint8_t first)
{
	uint8_t words[16] = { first, 1, 2, 3 };

	send_message(g, 0x80, g->seen[i].id, words, sizeof words);
}

Test(cam_client, answers_are_matched_by_their_message_and_not_by_order)
{
	struct rig g;

	rig_init(&g, 5000);
	RUN_UNTIL(&g, g.cards == 1);
	for (unsigned i = 0; i < 6; i++)
		ask(&g, i, "s", 100 + i);
	RUN_UNTIL(&g, g.n_seen == 6);
	for (size_t i = 6; i-- > 0;)
		reply(&g, i, (uint8_t)(50 + i));
	/* nobody asked for this */
	send_message(&g, 0x80, 999, "0123456789abcdef", 16);
	send_message(&g, 0xd3, 1, "unknown", 7);
	RUN_UNTIL(&g, g.n_answers == 6);
	for (size_t i = 0; i < 6; i++) {
		cr_assert(g.answers[i].found);
		cr_assert_eq(g.answers[i].number, 105 - i);
		cr_assert_eq(g.answers[i].first, 55 - i);
	}
	rig_done(&g);
}

Test(cam_client, streams_share_an_ecm_and_later_ones_get_it_from_the_table)
{
	struct msg_softcam_status status;
	struct rig g;

	rig_init(&g, 5000);
	RUN_UNTIL(&g, g.cards == 1);
	ask(&g, 1, "a", 1);
	ask(&g, 1, "b", 1);
	RUN_UNTIL(&g, g.n_seen == 1);
	reply(&g, 0, 7);
	RUN_UNTIL(&g, g.n_answers == 2);
	ask(&g, 1, "c", 1);
	cr_assert_eq(g.n_answers, 3);
	for (size_t i = 0; i < 3; i++) {
		cr_assert(g.answers[i].found);
		cr_assert_eq(g.answers[i].stream[0], 'a' + (char)i);
	}
	cam_client_second(g.client, &status);
	cr_assert(status.up);
	cr_assert_eq(status.ecm_rate, 1);
	cr_assert_eq(status.hits, 2);
	cr_assert_eq(status.misses, 1);
	rig_done(&g);
}

Test(cam_client, a_refusal_is_an_answer_for_a_while)
{
	static const uint8_t none[16];
	struct rig g;

	rig_init(&g, 5000);
	RUN_UNTIL(&g, g.cards == 1);
	for (unsigned i = 0; i < 3; i++)
		ask(&g, i, "a", i);
	RUN_UNTIL(&g, g.n_seen == 3);
	send_message(&g, 0x80, g.seen[0].id, NULL, 0);
	send_message(&g, 0x80, g.seen[1].id, none, sizeof none);
	send_message(&g, 0x80, g.seen[2].id, none, 5);
	RUN_UNTIL(&g, g.n_answers == 3);
	cr_assert_str_eq(g.answers[0].error, "the server found none");
	cr_assert_str_eq(g.answers[1].error, "the server found none");
	cr_assert_str_eq(g.answers[2].error, "malformed answer");
	ask(&g, 0, "b", 9);
	cr_assert_eq(g.n_answers, 4);
	cr_assert_str_eq(g.answers[3].error, "the server found none");
	cr_assert_eq(g.n_seen, 3);
	rig_done(&g);
}

Test(cam_client, an_ecm_that_cannot_be_encrypted_names_the_reason)
{
	struct rig g;

	rig_init(&g, 5000);
	RUN_UNTIL(&g, g.cards == 1);
	is_exhausted = true;
	ask(&g, 1, "a", 1);
	is_exhausted = false;
	cr_assert_eq(g.n_answers, 1);
	cr_assert_str_eq(g.answers[0].error, "no random bytes");
	/* the connection stays */
	ask(&g, 1, "a", 2);
	RUN_UNTIL(&g, g.n_seen == 1);
	reply(&g, 0, 7);
	RUN_UNTIL(&g, g.n_answers == 2);
	cr_assert(g.answers[1].found);
	cr_assert_eq(g.errors, 0);
	rig_done(&g);
}

Test(cam_client, a_late_control_word_is_a_second_answer)
{
	struct msg_softcam_status status;
	uint64_t times = 0;
	struct rig g;

	rig_init(&g, 300);
	RUN_UNTIL(&g, g.cards == 1);
	ask(&g, 1, "a", 1);
	RUN_UNTIL(&g, g.n_answers == 1);
	cr_assert_str_eq(g.answers[0].error, "timeout");
	RUN_UNTIL(&g, g.n_seen == 1);
	reply(&g, 0, 9);
	RUN_UNTIL(&g, g.n_answers == 2);
	cr_assert(g.answers[1].found);
	cam_client_second(g.client, &status);
	cr_assert_eq(status.timeouts, 1);
	/* the time since the question, not since the timeout: 50, 100 and
	 * 200 ms are shorter */
	for (size_t i = 0; i < MSG_CAM_TIMES; i++)
		times += status.times[i];
	cr_assert_eq(times, 1);
	cr_assert_eq(status.times[0] + status.times[1] + status.times[2], 0);
	rig_done(&g);
}

Test(cam_client, a_lost_connection_answers_all_and_comes_back)
{
	struct rig g;

	rig_init(&g, 5000);
	ask(&g, 1, "a", 1);
	cr_assert_eq(g.n_answers, 1);
	cr_assert_str_eq(g.answers[0].error, "not connected");
	RUN_UNTIL(&g, g.cards == 1);
	ask(&g, 1, "a", 2);
	RUN_UNTIL(&g, g.n_seen == 1);
	ev_io_stop(g.loop, &g.on_frame);
	fd_close(&g.server);
	RUN_UNTIL(&g, g.errors == 1);
	cr_assert_str_eq(g.error, "the server closed the connection");
	cr_assert_eq(g.n_answers, 2);
	cr_assert_str_eq(g.answers[1].error, g.error);
	RUN_UNTIL(&g, g.cards == 2);
	/* the new session is asked about the same ECM */
	ask(&g, 1, "a", 3);
	RUN_UNTIL(&g, g.n_seen == 2);
	reply(&g, 1, 3);
	RUN_UNTIL(&g, g.n_answers == 3);
	cr_assert(g.answers[2].found);
	rig_done(&g);
}

Test(cam_client, emms_are_passed_once_and_in_bounds)
{
	struct msg_softcam_status status;
	struct rig g;

	rig_init(&g, 5000);
	RUN_UNTIL(&g, g.cards == 1);
	for (unsigned i = 0; i < 200; i++) {
		struct ecm e = { .len = 5, .section = { 0x82, 0x70, 2,
				 (uint8_t)(i / 4), 1 } };

		cam_client_emm(g.client, &e);
	}
	cam_client_second(g.client, &status);
	cr_assert_eq(status.emm_rate, CAM_EMM_BURST);
	RUN_UNTIL(&g, g.n_seen == CAM_EMM_BURST);
	for (size_t i = 0; i < g.n_seen; i++) {
		cr_assert_eq(g.seen[i].type, 0x82);
		cr_assert_eq(g.bodies[i], i);
	}
	rig_done(&g);
}

/* Answers to n questions in one buffer. */
static size_t make_answers(struct rig *g, size_t n, uint8_t *to)
{
	static const uint8_t words[16] = { 7, 1, 2, 3 };
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		struct newcamd_msg m = { .type = 0x80, .id = g->seen[i].id,
					 .body = words, .len = sizeof words };

		len += (size_t)newcamd_write(g->session_key, &m, to + len);
	}
	return len;
}

Test(cam_client, answers_may_come_joined_and_byte_by_byte)
{
	uint8_t data[8 * 64];
	struct rig g;
	size_t len;

	for (unsigned pieces = 0; pieces < 2; pieces++) {
		rig_init(&g, 5000);
		RUN_UNTIL(&g, g.cards == 1);
		for (unsigned i = 0; i < 4; i++)
			ask(&g, i, "a", i + 1);
		RUN_UNTIL(&g, g.n_seen == 4);
		len = make_answers(&g, 4, data);
		for (size_t i = 0; pieces && i < len; i++) {
			cr_assert_eq(write(g.server, data + i, 1), 1);
			ev_run(g.loop, EVRUN_NOWAIT);
		}
		if (!pieces)
			cr_assert_eq(write(g.server, data, len), (ssize_t)len);
		RUN_UNTIL(&g, g.n_answers == 4);
		for (size_t i = 0; i < 4; i++)
			cr_assert(g.answers[i].found);
		rig_done(&g);
	}
}

Test(cam_client, an_answer_that_is_cut_at_any_byte_is_no_control_word)
{
	uint8_t data[8 * 64];
	struct rig g;
	size_t len = 64;

	for (size_t cut = 0; cut < len; cut += 3) {
		rig_init(&g, 5000);
		RUN_UNTIL(&g, g.cards == 1);
		ask(&g, 1, "a", 1);
		RUN_UNTIL(&g, g.n_seen == 1);
		len = make_answers(&g, 1, data);
		cr_assert_eq(write(g.server, data, cut), (ssize_t)cut);
		ev_io_stop(g.loop, &g.on_frame);
		fd_close(&g.server);
		RUN_UNTIL(&g, g.n_answers == 1);
		cr_assert_not(g.answers[0].found);
		cr_assert_eq(g.errors, 1);
		rig_done(&g);
	}
}

/* The checksum of a frame has eight bits: one of 256 is right by chance. */
Test(cam_client, two_hundred_hostile_answers_end_at_once)
{
	uint8_t data[8 * 64];
	unsigned found = 0;
	struct rig g;
	size_t len;

	srand(5);
	for (unsigned i = 0; i < 200; i++) {
		rig_init(&g, 5000);
		RUN_UNTIL(&g, g.cards == 1);
		ask(&g, 1, "a", 1);
		RUN_UNTIL(&g, g.n_seen == 1);
		len = make_answers(&g, 1, data);
		/* a byte of the frame, or all of it */
		for (size_t k = 0; k < len; k++)
			if (i % 4 == 0 || k == i % len)
				data[k] ^= (uint8_t)(1 + rand() % 255);
		cr_assert_eq(write(g.server, data, len), (ssize_t)len);
		ev_io_stop(g.loop, &g.on_frame);
		cr_assert_eq(shutdown(g.server, SHUT_WR), 0);
		RUN_UNTIL(&g, g.n_answers == 1);
		found += g.answers[0].found;
		RUN_UNTIL(&g, g.errors == 1);
		rig_done(&g);
	}
	cr_assert_leq(found, 12);
}

Test(cam_client, any_bytes_of_a_server_end_only_its_connection)
{
	uint8_t data[200];
	struct rig g;

	srand(11);
	rig_init(&g, 5000);
	RUN_UNTIL(&g, g.cards == 1);
	ask(&g, 1, "a", 1);
	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (uint8_t)rand();
	cr_assert_eq(write(g.server, data, sizeof data), (ssize_t)sizeof data);
	RUN_UNTIL(&g, g.errors == 1);
	cr_assert_str_eq(g.error, "the answer of the server is malformed");
	cr_assert_eq(g.n_answers, 1);
	RUN_UNTIL(&g, g.cards == 2);
	rig_done(&g);
}
