/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The role `softcam`: either tests the login to a newcamd server once, or stays
 * connected to a server for the control words of streams. */
#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/hex.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/loop/timer.h"
#include "worker/core/worker.h"
#include "worker/softcam/cam_client.h"
#include "worker/softcam/cam_session.h"
#include "worker/softcam/dial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

enum {
	CONNECT_MS = 8000,
	RESPONSE_MS = 8000,
	/* Random pause before the connection, so that many tests do not connect
	 * at once.  The result follows within 10 s if the server cannot be
	 * reached, or is connected at once and does not answer. */
	DELAY_MIN_MS = 20,
	DELAY_MAX_MS = 1500,
};

struct softcam {
	struct worker *worker;
	char *host; /* host of the test; NULL: no test */
	char *user, *password;
	uint16_t port;
	uint8_t key[NEWCAMD_KEY];
	ev_timer delay;
	struct dial *dial;
	/* name queries of earlier dials that have not ended */
	struct dial_lookup *lookups;
	struct cam_session *session;
	struct cam_client *client; /* NULL before softcam.start */
	ev_timer second;
};

static void report(struct softcam *s, const char *error)
{
	struct msg m = { .type = MSG_SOFTCAM_RESULT };

	m.softcam_result.error = error;
	(void)channel_send(s->worker->channel, &m, NULL, 0);
}

/* Reports a card.  type: MSG_SOFTCAM_RESULT or MSG_SOFTCAM_CARD; both messages
 * have the same members. */
static void report_card(struct softcam *s, enum msg_type type,
			const struct card *card)
{
	struct msg m = { .type = type };
	struct msg_softcam_result *r = type == MSG_SOFTCAM_RESULT
					       ? &m.softcam_result
					       : &m.softcam_card;

	r->caid = card->caid;
	r->au = card->au;
	hex_write(r->ua, card->ua, sizeof card->ua);
	r->n = card->n;
	for (size_t i = 0; i < card->n; i++) {
		const struct card_provider *p = &card->providers[i];

		hex_write(r->idents[i].id, p->id, sizeof p->id);
		hex_write(r->idents[i].sa, p->sa, sizeof p->sa);
	}
	(void)channel_send(s->worker->channel, &m, NULL, 0);
}

/* --- a test --- */

static void on_card(const struct card *card, void *arg)
{
	struct softcam *s = arg;

	cam_session_free(&s->session);
	report_card(s, MSG_SOFTCAM_RESULT, card);
}

static void on_end(enum cam_session_end how, void *arg)
{
	static const char *const texts[] = {
		[CAM_CLOSED] = "connection failed",
		[CAM_SILENT] = "response timeout",
		[CAM_MALFORMED] = "failed to parse response",
		[CAM_DENIED] = "login failed",
	};
	struct softcam *s = arg;

	cam_session_free(&s->session);
	report(s, texts[how]);
}

/* Called when an attempt to connect ends.  fd: the connection, or -errno. */
static void on_done(int fd, void *arg)
{
	struct softcam *s = arg;
	struct cam_session_config cfg = {
		.loop = s->worker->loop,
		.fd = fd,
		.user = s->user,
		.password = s->password,
		.timeout_ms = RESPONSE_MS,
		.on_card = on_card,
		.on_end = on_end,
		.arg = s,
	};

	dial_free(&s->dial);
	memcpy(cfg.key, s->key, sizeof cfg.key);
	/* for a test, a name without an address counts as a timeout */
	if (fd == -ENOENT || fd == -ETIMEDOUT)
		report(s, "connection timeout");
	else if (fd < 0)
		report(s, "connection failed");
	else
		s->session = cam_session_new(&cfg);
	explicit_bzero(cfg.key, sizeof cfg.key);
}

static void on_delay(struct ev_loop *loop, ev_timer *timer, int revents)
{
	struct softcam *s = container_of(timer, struct softcam, delay);

	(void)revents;
	s->dial = dial_new(&(struct dial_config){
		.loop = loop,
		.host = s->host,
		.port = s->port,
		.timeout_ms = CONNECT_MS,
		.lookups = &s->lookups,
		.on_done = on_done,
		.arg = s,
	});
}

/* --- a connection that stays --- */

static void on_login(const struct card *card, void *arg)
{
	log_info("softcam", "logged in: CAID %04X, %s", card->caid,
		 card->au ? "the server accepts EMMs" : "the server accepts no "
		 "EMMs");
	report_card(arg, MSG_SOFTCAM_CARD, card);
}

static void on_error(const char *error, void *arg)
{
	struct softcam *s = arg;
	struct msg m = { .type = MSG_SOFTCAM_CARD };

	m.softcam_card.error = error;
	(void)channel_send(s->worker->channel, &m, NULL, 0);
}

/* Writes a control word as hexadecimal digits; "" if all bytes are zero: the
 * answer has no word of this parity. */
static const char *write_word(const uint8_t *word, char text[17])
{
	static const uint8_t none[8];

	if (memcmp(word, none, sizeof none) == 0)
		return "";
	hex_write(text, word, sizeof none);
	return text;
}

static void on_words(const struct ecm_asker *asker, const uint8_t *words,
		     const char *error, void *arg)
{
	struct softcam *s = arg;
	struct msg m = { .type = MSG_SOFTCAM_WORD };
	char even[17], odd[17];

	m.softcam_word = (struct msg_cam_word){
		.name = asker->stream,
		.number = asker->number,
		.even = words != NULL ? write_word(words, even) : "",
		.odd = words != NULL ? write_word(words + 8, odd) : "",
		.error = error != NULL ? error : "",
	};
	(void)channel_send(s->worker->channel, &m, NULL, 0);
	explicit_bzero(even, sizeof even);
	explicit_bzero(odd, sizeof odd);
}

static void on_second(struct ev_loop *loop, ev_timer *timer, int revents)
{
	struct softcam *s = container_of(timer, struct softcam, second);
	struct msg m = { .type = MSG_SOFTCAM_STATUS };

	(void)loop, (void)revents;
	cam_client_second(s->client, &m.softcam_status);
	(void)channel_send(s->worker->channel, &m, NULL, 0);
}

/* Reads an ECM or EMM from a message; false: it is not a section of an ECM or
 * EMM. */
static bool read_section(const struct msg_cam_section *m, struct ecm *ret)
{
	size_t digits = strlen(m->section);

	ret->sid = (uint16_t)m->sid;
	ret->caid = (uint16_t)m->caid;
	ret->provider = m->provider;
	ret->len = digits / 2;
	return digits % 2 == 0 && ret->len >= 3 &&
	       ret->len <= sizeof ret->section &&
	       hex_read(m->section, ret->section, ret->len) &&
	       ret->section[0] >= 0x80 && ret->section[0] <= 0x8f;
}

static void on_ecm(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct ecm_asker asker = { .number = m->softcam_ecm.number };
	struct softcam *s = role;
	struct ecm ecm;

	(void)fds, (void)n_fds;
	if (s->client == NULL || !read_section(&m->softcam_ecm, &ecm) ||
	    strlen(m->softcam_ecm.name) > ECM_STREAM_MAX)
		return;
	memcpy(asker.stream, m->softcam_ecm.name,
	       strlen(m->softcam_ecm.name) + 1);
	cam_client_ecm(s->client, &ecm, &asker);
}

static void on_emm(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct softcam *s = role;
	struct ecm emm;

	(void)fds, (void)n_fds;
	if (s->client != NULL && read_section(&m->softcam_emm, &emm))
		cam_client_emm(s->client, &emm);
}

/* --- the role --- */

static void *softcam_new(struct worker *worker)
{
	struct softcam *s = xcalloc(1, sizeof *s);

	s->worker = worker;
	ev_init(&s->second, on_second);
	ev_init(&s->delay, on_delay);
	return s;
}

/* Wipes a text and frees it. */
static void free_secret(char *text)
{
	if (text != NULL)
		explicit_bzero(text, strlen(text));
	free(text);
}

static void softcam_free(void *role)
{
	struct softcam *s = role;

	ev_timer_stop(s->worker->loop, &s->delay);
	ev_timer_stop(s->worker->loop, &s->second);
	cam_client_free(&s->client);
	dial_free(&s->dial);
	cam_session_free(&s->session);
	free(s->host);
	free_secret(s->user);
	free_secret(s->password);
	explicit_bzero(s, sizeof *s);
	free(s);
}

static bool has_task(struct softcam *s)
{
	if (s->host == NULL && s->client == NULL)
		return false;
	log_error("softcam", "protocol error: second task received: this "
		  "process exits");
	worker_exit(s->worker, EX_PROTOCOL);
	return true;
}

static void on_test(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	const struct msg_softcam_test *test = &m->softcam_test;
	struct softcam *s = role;
	unsigned delay_ms = DELAY_MIN_MS + (unsigned)(mono_ns() / 1000 %
				(DELAY_MAX_MS - DELAY_MIN_MS));

	(void)fds, (void)n_fds;
	if (has_task(s))
		return;
	s->host = xstrdup(test->host);
	s->user = xstrdup(test->user);
	s->password = xstrdup(test->password);
	s->port = (uint16_t)test->port;
	newcamd_key_read(test->key, s->key);
	timer_start(s->worker->loop, &s->delay, delay_ms / 1e3);
}

static void on_start(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	const struct msg_softcam_start *start = &m->softcam_start;
	struct softcam *s = role;
	struct cam_client_config cfg = {
		.loop = s->worker->loop,
		.host = start->host,
		.user = start->user,
		.password = start->password,
		.port = (uint16_t)start->port,
		.timeout_ms = start->timeout_ms,
		.on_card = on_login,
		.on_error = on_error,
		.on_words = on_words,
		.arg = s,
	};

	(void)fds, (void)n_fds;
	if (has_task(s))
		return;
	newcamd_key_read(start->key, cfg.key);
	s->client = cam_client_new(&cfg);
	explicit_bzero(cfg.key, sizeof cfg.key);
	worker_send_ready(s->worker);
	timer_repeat(s->worker->loop, &s->second, 1., 1.);
}

const struct worker_role softcam_role = {
	.name = "softcam",
	.needs = NEED_THREADS | NEED_TCP | NEED_UDP | NEED_NAMES,
	.new = softcam_new,
	.free = softcam_free,
	.messages = {
		[MSG_SOFTCAM_TEST] = on_test,
		[MSG_SOFTCAM_START] = on_start,
		[MSG_SOFTCAM_ECM] = on_ecm,
		[MSG_SOFTCAM_EMM] = on_emm,
	},
};
