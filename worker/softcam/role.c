/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The role `softcam`: tests whether a server accepts connections.
 *
 * This version does not implement the newcamd protocol.
 */
#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "worker/core/worker.h"
#include "worker/softcam/dial.h"

#include <errno.h>
#include <stdlib.h>
#include <sysexits.h>

enum {
	CONNECT_MS = 8000,
	/* before the connection, so that many tests do not connect at once */
	DELAY_MIN_MS = 20,
	DELAY_MAX_MS = 2000,
};

struct softcam {
	struct worker *worker;
	char *host; /* NULL until softcam.test */
	uint16_t port;
	ev_timer delay;
	struct dial *dial;
};

/* fd: a connection, or -errno. */
static void on_done(int fd, void *arg)
{
	struct softcam *s = arg;
	const char *result = "connected, but this version cannot log in";
	struct msg m = { .type = MSG_SOFTCAM_RESULT };

	dial_free(&s->dial);
	/* a name without an address has the result of a timeout */
	if (fd == -ENOENT || fd == -ETIMEDOUT)
		result = "connection timeout";
	else if (fd < 0)
		result = "connection failed";
	m.softcam_result.error = result;
	(void)channel_send(s->worker->channel, &m, NULL, 0);
	fd_close(&fd);
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

static void softcam_free(void *role)
{
	struct softcam *s = role;

	ev_timer_stop(s->worker->loop, &s->delay);
	dial_free(&s->dial);
	free(s->host);
	free(s);
}

static void on_test(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct softcam *s = role;
	unsigned delay_ms = DELAY_MIN_MS + (unsigned)(mono_ns() / 1000 %
				(DELAY_MAX_MS - DELAY_MIN_MS));

	(void)fds, (void)n_fds;
	if (s->host != NULL) {
		log_error("softcam", "second softcam.test in one process");
		worker_exit(s->worker, EX_PROTOCOL);
		return;
	}
	s->host = xstrdup(m->softcam_test.host);
	s->port = (uint16_t)m->softcam_test.port;
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
