/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The role `softcam`: tests the login to a newcamd server. */
#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/hex.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "worker/core/worker.h"
#include "worker/softcam/cam_session.h"
#include "worker/softcam/dial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

enum {
	CONNECT_MS = 8000,
	RESPONSE_MS = 8000,
	/* Before the connection, so that many tests do not connect at once.
	 * With a server that does not answer, the result is there in 10 s. */
	DELAY_MIN_MS = 20,
	DELAY_MAX_MS = 1500,
};

struct softcam {
	struct worker *worker;
	char *host; /* NULL until softcam.test */
	char *user, *password;
	uint16_t port;
	uint8_t key[NEWCAMD_KEY];
	ev_timer delay;
	struct dial *dial;
	struct cam_session *session;
};

static void report(struct softcam *s, const char *error)
{
	struct msg m = { .type = MSG_SOFTCAM_RESULT };

	m.softcam_result.error = error;
	(void)channel_send(s->worker->channel, &m, NULL, 0);
}

static void on_card(const struct card *card, void *arg)
{
	struct softcam *s = arg;
	struct msg m = { .type = MSG_SOFTCAM_RESULT };
	struct msg_softcam_result *r = &m.softcam_result;

	r->caid = card->caid;
	r->au = card->au;
	hex_write(r->ua, card->ua, sizeof card->ua);
	r->n = card->n;
	for (size_t i = 0; i < card->n; i++) {
		const struct card_provider *p = &card->providers[i];

		hex_write(r->idents[i].id, p->id, sizeof p->id);
		hex_write(r->idents[i].sa, p->sa, sizeof p->sa);
	}
	cam_session_free(&s->session);
	(void)channel_send(s->worker->channel, &m, NULL, 0);
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

/* fd: a connection, or -errno. */
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
	/* a name without an address has the result of a timeout */
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
		.on_done = on_done,
		.arg = s,
	});
}

static void *softcam_new(struct worker *worker)
{
	struct softcam *s = xcalloc(1, sizeof *s);

	s->worker = worker;
	ev_init(&s->delay, on_delay);
	return s;
}

/* Frees and wipes. */
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
	dial_free(&s->dial);
	cam_session_free(&s->session);
	free(s->host);
	free_secret(s->user);
	free_secret(s->password);
	explicit_bzero(s, sizeof *s);
	free(s);
}

static void on_test(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	const struct msg_softcam_test *test = &m->softcam_test;
	struct softcam *s = role;
	unsigned delay_ms = DELAY_MIN_MS + (unsigned)(mono_ns() / 1000 %
				(DELAY_MAX_MS - DELAY_MIN_MS));

	(void)fds, (void)n_fds;
	if (s->host != NULL) {
		log_error("softcam", "second softcam.test in one process");
		worker_exit(s->worker, EX_PROTOCOL);
		return;
	}
	s->host = xstrdup(test->host);
	s->user = xstrdup(test->user);
	s->password = xstrdup(test->password);
	s->port = (uint16_t)test->port;
	newcamd_key_read(test->key, s->key);
	ev_timer_set(&s->delay, delay_ms / 1e3, 0.);
	ev_timer_start(s->worker->loop, &s->delay);
}

const struct worker_role softcam_role = {
	.name = "softcam",
	.needs = NEED_THREADS | NEED_TCP | NEED_UDP | NEED_NAMES,
	.new = softcam_new,
	.free = softcam_free,
	.messages = { [MSG_SOFTCAM_TEST] = on_test },
};
