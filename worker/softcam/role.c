/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The role `softcam`: tests whether a server can be reached.
 *
 * What is said on the connection, newcamd, is not spoken by this version.
 */
#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "worker/softcam/dial.h"
#include "worker/core/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <sysexits.h>

enum {
	CONNECT_MS = 8000,
	/* before the connection, so that tests of many do not come at once */
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

static void answer(struct softcam *s, const char *error)
{
	struct msg m = { .type = MSG_SOFTCAM_RESULT,
			 .softcam_result = { error } };

	(void)channel_send(s->worker->channel, &m, NULL, 0);
}

static const char *judge(int fd)
{
	switch (fd) {
	case -ENOENT: /* so does a name without an address count */
	case -ETIMEDOUT:
		return "connection timeout";
	default:
		return fd < 0 ? "connection failed"
			      : "connected, but this version cannot log in";
	}
}

static void on_done(int fd, void *arg)
{
	struct softcam *s = arg;

	dial_free(&s->dial);
	answer(s, judge(fd));
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

static void test(struct softcam *s, const struct msg_softcam_test *test)
{
	unsigned delay_ms = DELAY_MIN_MS + (unsigned)(mono_ns() / 1000 %
				(DELAY_MAX_MS - DELAY_MIN_MS));

	if (s->host != NULL) {
		log_error("softcam", "started twice");
		worker_exit(s->worker, EX_PROTOCOL);
		return;
	}
	s->host = xstrdup(test->host);
	s->port = (uint16_t)test->port;
	ev_timer_set(&s->delay, delay_ms / 1e3, 0.);
	ev_timer_start(s->worker->loop, &s->delay);
}

static void on_message(void *role, const struct msg *m, int *fds,
		       size_t n_fds)
{
	(void)fds, (void)n_fds;
	if (m->type == MSG_SOFTCAM_TEST)
		test(role, &m->softcam_test);
	else
		log_warning("softcam", "%s is not for a softcam",
			    msg_type_name(m->type));
}

const struct worker_role softcam_role = {
	.name = "softcam",
	.new = softcam_new,
	.free = softcam_free,
	.on_message = on_message,
};
