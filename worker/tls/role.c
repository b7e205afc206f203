/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The role `tls`: the one process that has the private key. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "worker/tls/tls_feed.h"
#include "worker/tls/tls_server.h"
#include "worker/core/worker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

enum {
	CONNECTIONS_MAX = 8192,
	/* of the files: the channel, the loop, certificates on their way */
	RESERVED = 32,
	PER_CONNECTION = 2,
	DAY_S = 24 * 3600,
	EXPIRY_DAYS = 14, /* before which nothing is said */
};

struct role {
	struct worker *worker;
	struct tls_server *server;
	ev_timer second;
	bool ready;
	time_t expiry_said; /* when a warning was given */
	LIST_HEAD(, feed) feeds;
};

static unsigned connections_max(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		files.rlim_cur = 1024; /* what it is nearly everywhere */
	if (files.rlim_cur < RESERVED + PER_CONNECTION)
		return 1;
	return (unsigned)MIN((files.rlim_cur - RESERVED) / PER_CONNECTION,
			     (rlim_t)CONNECTIONS_MAX);
}

static void format_day(time_t t, char *text, size_t size)
{
	struct tm tm;

	if (gmtime_r(&t, &tm) == NULL ||
	    strftime(text, size, "%Y-%m-%d", &tm) == 0)
		text[0] = '\0';
}

/* Once a day while it is so. */
static void warn_of_expiry(struct role *r)
{
	const SSL_CTX *ctx = tls_server_context(r->server);
	time_t now = time(NULL);
	char day[16];
	time_t end;

	if (ctx == NULL || now - r->expiry_said < DAY_S)
		return;
	end = credentials_end(ctx);
	format_day(end, day, sizeof day);
	if (end < now)
		log_error("tls", "the certificate ended on %s: clients that "
			  "check it do not come in", day);
	else if (end - now < EXPIRY_DAYS * DAY_S)
		log_warning("tls", "the certificate ends on %s", day);
	else
		return;
	r->expiry_said = now;
}

static void on_second(struct ev_loop *loop, ev_timer *timer, int revents)
{
	struct role *r = container_of(timer, struct role, second);
	struct msg m = { .type = MSG_TLS_STATUS,
			 .tls_status = tls_server_status(r->server) };

	(void)loop, (void)revents;
	if (!r->ready)
		worker_send_ready(r->worker);
	r->ready = true;
	(void)channel_send(r->worker->channel, &m, NULL, 0);
	warn_of_expiry(r);
}

static void on_client(int outer, int inner, void *arg)
{
	struct role *r = arg;

	tls_server_take(r->server, TLS_VIEWER, outer, inner);
}

static void end_feed(struct feed *f, void *arg)
{
	(void)arg;
	LIST_REMOVE(f, link);
	feed_free(&f);
}

static void add_feed(struct role *r, int fd)
{
	struct feed *f = feed_new(&(struct feed_config){
		.loop = r->worker->loop,
		.fd = fd,
		.on_client = on_client,
		.on_end = end_feed,
		.arg = r,
	});

	LIST_INSERT_HEAD(&r->feeds, f, link);
}

static void *role_new(struct worker *worker)
{
	struct role *r = xcalloc(1, sizeof *r);

	r->worker = worker;
	LIST_INIT(&r->feeds);
	/* no core of ours, and nobody looks into our memory */
	(void)prctl(PR_SET_DUMPABLE, 0);
	r->server = tls_server_new(&(struct tls_server_config){
		.loop = worker->loop,
		.connections_max = connections_max(),
	});
	ev_timer_init(&r->second, on_second, 0., 1.);
	ev_timer_start(worker->loop, &r->second);
	return r;
}

static void role_free(void *role)
{
	struct role *r = role;

	ev_timer_stop(r->worker->loop, &r->second);
	while (!LIST_EMPTY(&r->feeds))
		end_feed(LIST_FIRST(&r->feeds), r);
	tls_server_free(&r->server);
	free(r);
}

static void log_in_use(struct role *r)
{
	const SSL_CTX *ctx = tls_server_context(r->server);
	char subject[256], day[16];

	credentials_subject(ctx, subject, sizeof subject);
	format_day(credentials_end(ctx), day, sizeof day);
	log_info("tls", "certificate in use: %s, valid until %s", subject,
		 day);
	if (credentials_begin(ctx) > time(NULL))
		log_warning("tls", "the certificate is not valid yet: is the "
			    "clock right?");
	r->expiry_said = 0;
	warn_of_expiry(r);
}

static void take_certificate(struct role *r, const struct msg *m,
			     const int *fds)
{
	struct credentials_fault fault = { .field = "" };
	int err = tls_server_certificate(r->server, m->tls_certificate.use,
					 fds[0], fds[1], &fault);
	struct msg answer = { .type = MSG_TLS_RESULT, .seq = m->seq,
			      .tls_result = { .ok = err == 0,
					      .field = fault.field,
					      .why = fault.why.text } };

	if (err == 0 && m->tls_certificate.use)
		log_in_use(r);
	(void)channel_send(r->worker->channel, &answer, NULL, 0);
}

static void on_message(void *role, const struct msg *m, int *fds,
		       size_t n_fds)
{
	struct role *r = role;

	(void)n_fds; /* msg_fds(): proto/ipc/channel has seen to it */
	switch (m->type) {
	case MSG_TLS_CERTIFICATE:
		take_certificate(r, m, fds);
		break;
	case MSG_TLS_SERVE:
		tls_server_take(r->server, TLS_CONTROL, fds[0], fds[1]);
		fds[0] = fds[1] = -1;
		break;
	case MSG_TLS_LINK:
		add_feed(r, fds[0]);
		fds[0] = -1;
		break;
	default:
		log_warning("tls", "%s is not for this role",
			    msg_type_name(m->type));
		break;
	}
}

const struct worker_role tls_role = {
	.name = "tls",
	.new = role_new,
	.free = role_free,
	.on_message = on_message,
};
