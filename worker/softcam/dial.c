/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/softcam/dial.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/util.h"
#include "common/loop/timer.h"

#include <errno.h>
#include <ev.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { POLL_MS = 20 /* interval of the checks whether the query has ended */ };

/* The memory of a query, which the thread of the C library uses. */
struct dial_lookup {
	struct dial_lookup *next; /* next query in dial_config.lookups */
	struct gaicb request;
	struct addrinfo hints;
	char *host;
	char service[8];
};

struct dial {
	struct dial_config cfg;
	struct dial_lookup *lookup;
	const struct addrinfo *next; /* address that is tried next */
	int fd;                      /* socket that is connecting; -1: none */
	/* -errno of the last address; -ENOENT: none was tried */
	int err;
	ev_timer poll;
	ev_timer deadline;
	ev_io connected;
};

static struct dial_lookup *lookup_start(const struct dial_config *cfg)
{
	struct dial_lookup *q = xcalloc(1, sizeof *q);
	struct gaicb *list[] = { &q->request };

	q->host = xstrdup(cfg->host);
	(void)snprintf(q->service, sizeof q->service, "%u", cfg->port);
	q->hints = (struct addrinfo){
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICSERV,
	};
	q->request = (struct gaicb){
		.ar_name = q->host,
		.ar_service = q->service,
		.ar_request = &q->hints,
	};
	if (getaddrinfo_a(GAI_NOWAIT, list, 1, NULL) != 0) {
		free(q->host);
		free(q);
		return NULL;
	}
	return q;
}

/* Frees the queries whose threads have ended. */
static void lookups_reap(struct dial_lookup **list)
{
	while (*list != NULL) {
		struct dial_lookup *q = *list;

		/* a thread that still runs cannot be stopped */
		if (gai_error(&q->request) == EAI_INPROGRESS &&
		    gai_cancel(&q->request) == EAI_NOTCANCELED) {
			list = &q->next;
			continue;
		}
		*list = q->next;
		if (q->request.ar_result != NULL)
			freeaddrinfo(q->request.ar_result);
		free(q->host);
		free(q);
	}
}

static void stop(struct dial *d)
{
	ev_timer_stop(d->cfg.loop, &d->poll);
	ev_timer_stop(d->cfg.loop, &d->deadline);
	ev_io_stop(d->cfg.loop, &d->connected);
}

/* Ends the dial through on_done, in which the owner may free d.  The caller
 * must not use d afterwards. */
static void finish(struct dial *d, int fd)
{
	stop(d);
	d->cfg.on_done(fd, d->cfg.arg);
}

static void try_next(struct dial *d)
{
	for (; d->next != NULL; d->next = d->next->ai_next) {
		const struct addrinfo *a = d->next;

		d->fd = socket(a->ai_family,
			       SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		if (d->fd >= 0 &&
		    (connect(d->fd, a->ai_addr, a->ai_addrlen) == 0 ||
		     errno == EINPROGRESS)) {
			d->next = a->ai_next;
			ev_io_set(&d->connected, d->fd, EV_WRITE);
			ev_io_start(d->cfg.loop, &d->connected);
			return;
		}
		d->err = -errno;
		fd_close(&d->fd);
	}
	finish(d, d->err);
}

static void on_connected(struct ev_loop *loop, ev_io *w, int revents)
{
	struct dial *d = container_of(w, struct dial, connected);
	socklen_t len = sizeof(int);
	int err = 0, fd = d->fd;

	(void)revents;
	ev_io_stop(loop, &d->connected);
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) < 0)
		err = errno;
	if (err != 0) {
		d->err = -err;
		fd_close(&d->fd);
		try_next(d);
		return;
	}
	d->fd = -1;
	finish(d, fd);
}

static void on_poll(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct dial *d = container_of(w, struct dial, poll);
	int err = d->lookup != NULL ? gai_error(&d->lookup->request)
				      : EAI_AGAIN;

	(void)revents;
	if (err == EAI_INPROGRESS)
		return;
	ev_timer_stop(loop, &d->poll);
	if (err == 0)
		d->next = d->lookup->request.ar_result;
	try_next(d);
}

static void on_deadline(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop, (void)revents;
	finish(container_of(w, struct dial, deadline), -ETIMEDOUT);
}

struct dial *dial_new(const struct dial_config *cfg)
{
	struct dial *d = xcalloc(1, sizeof *d);

	d->cfg = *cfg;
	d->fd = -1;
	d->err = -ENOENT;
	d->lookup = lookup_start(cfg);
	ev_init(&d->poll, on_poll);
	ev_init(&d->deadline, on_deadline);
	ev_init(&d->connected, on_connected);
	timer_repeat(cfg->loop, &d->poll, 0., POLL_MS / 1e3);
	timer_start(cfg->loop, &d->deadline, cfg->timeout_ms / 1e3);
	return d;
}

void dial_free(struct dial **dp)
{
	struct dial *d = *dp;

	*dp = NULL;
	if (d == NULL)
		return;
	stop(d);
	fd_close(&d->fd);
	if (d->lookup != NULL) {
		d->lookup->next = *d->cfg.lookups;
		*d->cfg.lookups = d->lookup;
		lookups_reap(d->cfg.lookups);
	}
	free(d);
}
