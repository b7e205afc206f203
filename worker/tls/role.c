/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The role `tls`: no other process reads the private key, unless the setting
 * crt_key contains the key itself. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/utf8.h"
#include "proto/ipc/channel.h"
#include "worker/core/kernel_tls.h"
#include "worker/core/worker.h"
#include "worker/tls/tls_server.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/resource.h>

enum {
	CONNECTIONS_MAX = 8192,
	/* descriptors for the channel, the loop and new certificates */
	RESERVED = 32,
	PER_CONNECTION = 2,
	DAY_S = 24 * 3600,
	DAY_MS = DAY_S * 1000,
	/* days before its end from which the log warns of a certificate */
	WARN_DAYS = 14,
	NAME_MAX_LEN = 256,
};

struct role {
	struct worker *worker;
	struct tls_server *server;
	bool kernel; /* the kernel can encrypt for viewers */
	/* the log has the line about a missing kernel TLS, if it is missing */
	bool told;
	uint64_t warned_ms; /* mono_ms() of the last warning; 0: none */
	LIST_HEAD(, feed) feeds;
};

/* The viewers of https outputs: clients that the deliver worker hands over on a
 * channel of its own. */
struct feed {
	LIST_ENTRY(feed) link;
	struct role *role;
	struct channel *channel;
};

static void format_day(time_t t, char *text, size_t size)
{
	struct tm tm;

	if (gmtime_r(&t, &tm) == NULL ||
	    strftime(text, size, "%Y-%m-%d", &tm) == 0)
		text[0] = '\0';
}

/* Logs, at most once a day, that the certificate expires soon or has
 * expired. */
static void warn_of_expiry(struct role *r)
{
	const SSL_CTX *ctx = tls_server_context(r->server);
	time_t now = time(NULL);
	char day[16];
	time_t end;

	if (ctx == NULL ||
	    (r->warned_ms != 0 && mono_ms() - r->warned_ms < DAY_MS))
		return;
	end = credentials_end(ctx);
	format_day(end, day, sizeof day);
	if (end < now)
		log_error("tls", "certificate expired on %s: clients that "
			  "check it cannot connect; install a new one", day);
	else if (end - now < WARN_DAYS * DAY_S)
		log_warning("tls", "certificate expires on %s: install a new "
			    "one before that day", day);
	else
		return;
	r->warned_ms = mono_ms();
}

static void every_second(void *role)
{
	struct role *r = role;
	struct msg m = { .type = MSG_TLS_STATUS,
			 .tls_status = tls_server_status(r->server) };

	(void)channel_send(r->worker->channel, &m, NULL, 0);
	warn_of_expiry(r);
}

static void *role_new(struct worker *worker)
{
	struct role *r = xcalloc(1, sizeof *r);
	rlim_t max = CONNECTIONS_MAX;
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		files.rlim_cur = 1024; /* the usual limit */
	if (files.rlim_cur < RESERVED + PER_CONNECTION)
		max = 1;
	else
		max = MIN((files.rlim_cur - RESERVED) / PER_CONNECTION, max);
	r->worker = worker;
	r->kernel = kernel_tls_exists();
	LIST_INIT(&r->feeds);
	r->server = tls_server_new(&(struct tls_server_config){
		.loop = worker->loop,
		.connections_max = (unsigned)max,
		.kernel = r->kernel,
	});
	return r;
}

static void feed_free(struct feed *f)
{
	LIST_REMOVE(f, link);
	channel_free(&f->channel);
	free(f);
}

static void on_feed_message(struct channel *channel, const struct msg *m,
			    int *fds, size_t n_fds, void *arg)
{
	struct feed *f = arg;

	(void)channel, (void)n_fds;
	if (m->type != MSG_TLS_SERVE) {
		feed_free(f);
		return;
	}
	tls_server_take(f->role->server, TLS_VIEWER, fds[0], fds[1]);
	fds[0] = fds[1] = -1;
}

static void on_feed_close(struct channel *channel, int err, const char *error,
			  void *arg)
{
	(void)channel, (void)err, (void)error;
	feed_free(arg);
}

static void role_free(void *role)
{
	struct role *r = role;

	while (!LIST_EMPTY(&r->feeds))
		feed_free(LIST_FIRST(&r->feeds));
	tls_server_free(&r->server);
	free(r);
}

/* Removes a character at the end that the size of the buffer has cut, because a
 * message is UTF-8, and cleans the text. */
static void make_text(char *text)
{
	size_t len = strlen(text);

	while (!utf8_is_valid(text, len))
		text[--len] = '\0';
	log_clean(text);
}

static void tell_facts(struct role *r)
{
	const SSL_CTX *ctx = tls_server_context(r->server);
	char subject[NAME_MAX_LEN], issuer[NAME_MAX_LEN], names[1024], key[64];
	struct msg m = { .type = MSG_TLS_FACTS, .tls_facts = {
		.subject = subject, .issuer = issuer, .names = names,
		.key = key,
		.begin_s = (uint64_t)MAX(credentials_begin(ctx), 0),
		.end_s = (uint64_t)MAX(credentials_end(ctx), 0) } };

	credentials_subject(ctx, subject, sizeof subject);
	credentials_issuer(ctx, issuer, sizeof issuer);
	credentials_names(ctx, names, sizeof names);
	credentials_key(ctx, key, sizeof key);
	make_text(subject);
	make_text(issuer);
	(void)channel_send(r->worker->channel, &m, NULL, 0);
}

static void on_certificate(void *role, const struct msg *m, int *fds,
			   size_t n_fds)
{
	struct role *r = role;
	struct credentials_error error = { .field = "" };
	int err = tls_server_certificate(r->server, m->tls_certificate.use,
					 fds[0], fds[1], &error);
	struct msg answer = { .type = MSG_TLS_RESULT, .seq = m->seq,
			      .tls_result = { .ok = err == 0,
					      .field = error.field,
					      .error = error.error.text } };

	(void)n_fds;
	if (err == 0 && m->tls_certificate.use) {
		const SSL_CTX *ctx = tls_server_context(r->server);
		char subject[NAME_MAX_LEN], day[16];

		credentials_subject(ctx, subject, sizeof subject);
		format_day(credentials_end(ctx), day, sizeof day);
		log_info("tls", "certificate in use: %s, valid until %s",
			 subject, day);
		if (credentials_begin(ctx) > time(NULL))
			log_warning("tls", "certificate not valid yet: check "
				    "the clock of this machine");
		r->warned_ms = 0;
		warn_of_expiry(r);
	}
	(void)channel_send(r->worker->channel, &answer, NULL, 0);
	/* the certificate before this one stays in use after an error */
	if (m->tls_certificate.use && tls_server_context(r->server) != NULL)
		tell_facts(r);
}

static void on_serve(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;

	(void)m, (void)n_fds;
	tls_server_take(r->server, TLS_CONTROL, fds[0], fds[1]);
	fds[0] = fds[1] = -1;
}

static void on_link(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	static const struct channel_events events = {
		.on_message = on_feed_message,
		.on_close = on_feed_close,
	};
	struct feed *f = xcalloc(1, sizeof *f);

	(void)m, (void)n_fds;
	f->role = role;
	if (!f->role->kernel && !f->role->told)
		log_info("tls", "the kernel module tls is not loaded: this "
			 "worker encrypts for viewers of https itself, with "
			 "more CPU time: run modprobe tls, and restart the "
			 "service");
	f->role->told = true;
	LIST_INSERT_HEAD(&f->role->feeds, f, link);
	f->channel = channel_new(&(struct channel_config){
		.loop = f->role->worker->loop,
		.fd = fds[0],
		.receives = MSG_TO_WORKER,
		.events = &events,
		.arg = f,
	});
	fds[0] = -1;
}

/* The functions of the role.  The channel accepts its messages only with their
 * descriptors. */
const struct worker_role tls_role = {
	.name = "tls",
	.needs = NEED_TLS,
	.new = role_new,
	.free = role_free,
	.every_second = every_second,
	.messages = {
		[MSG_TLS_CERTIFICATE] = on_certificate,
		[MSG_TLS_SERVE] = on_serve,
		[MSG_TLS_LINK] = on_link,
	},
};
