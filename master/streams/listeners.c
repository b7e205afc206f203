/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/listeners.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/supervise/handover.h"

#include <assert.h>
#include <errno.h>
#include <ev.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>

struct listener {
	LIST_ENTRY(listener) link;
	LIST_ENTRY(listener) open_link;
	struct listeners *owner;
	bool taken;
	bool play; /* it serves the play paths */
	unsigned failures;
	unsigned retry_ms;
	struct sockaddr_any where;
	char address[SOCKADDR_TEXT_MAX];
	unsigned users;
	int fd;
	uint64_t number; /* in the handover */
	/* "" when viewers can connect */
	char error[SOCKADDR_TEXT_MAX + 80];
	ev_timer retry;
};

/* A socket of the previous master. */
struct inherited {
	LIST_ENTRY(inherited) link;
	struct sockaddr_any where;
	int fd;
	uint64_t number;
};

struct listeners {
	struct ev_loop *loop;
	const struct listeners_events *events;
	void *arg;
	ev_timer check; /* interval of the check of addresses */
	LIST_HEAD(, listener) list;
	LIST_HEAD(, listener) untaken; /* open ones, by open_link */
	LIST_HEAD(, inherited) inherited;
};

/* True when the kernel lets us bind the address: the host has it, or
 * ip_nonlocal_bind allows it. */
static bool is_here(const struct sockaddr_any *where)
{
	struct sockaddr_any any_port = *where;
	int fd = socket(where->sa.sa_family,
			SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	bool gone;

	sockaddr_set_port(&any_port, 0);
	gone = fd >= 0 && bind(fd, &any_port.sa, any_port.len) < 0 &&
	       errno == EADDRNOTAVAIL;
	fd_close(&fd);
	return !gone;
}

/* A socket stays open and works again when its address returns. */
static void on_check(struct ev_loop *loop, ev_timer *t, int revents)
{
	static const char lost[] = "the address is not on this host";
	const struct listeners *ls = container_of(t, struct listeners, check);
	struct listener *l;

	(void)loop, (void)revents;
	LIST_FOREACH(l, &ls->list, link) {
		bool was_here = l->error[0] == '\0';
		bool here = l->fd < 0 ? was_here : is_here(&l->where);

		if (here == was_here)
			continue;
		l->error[0] = '\0';
		if (!here)
			(void)snprintf(l->error, sizeof l->error, "%s: %s",
				       l->address, lost);
		ls->events->on_error(l, here ? NULL : lost, ls->arg);
	}
}

struct listeners *listeners_new(struct ev_loop *loop,
				const struct listeners_events *events,
				void *arg)
{
	struct listeners *ls = xcalloc(1, sizeof *ls);

	ls->loop = loop;
	ls->events = events;
	ls->arg = arg;
	LIST_INIT(&ls->list);
	LIST_INIT(&ls->untaken);
	LIST_INIT(&ls->inherited);
	ev_timer_init(&ls->check, on_check, LISTEN_CHECK_MS / 1e3,
		      LISTEN_CHECK_MS / 1e3);
	ev_timer_start(loop, &ls->check);
	return ls;
}

void listeners_free(struct listeners **ls)
{
	if (*ls == NULL)
		return;
	assert(LIST_EMPTY(&(*ls)->list));
	listeners_close_unused(*ls);
	ev_timer_stop((*ls)->loop, &(*ls)->check);
	free(*ls);
	*ls = NULL;
}

/* The socket, or -errno. */
static int open_socket(const struct sockaddr_any *where)
{
	int on = 1, err;
	int fd = socket(where->sa.sa_family,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
	    (where->sa.sa_family == AF_INET6 &&
	     setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) < 0) ||
	    bind(fd, &where->sa, where->len) < 0 ||
	    listen(fd, LISTEN_BACKLOG) < 0) {
		err = -errno;
		fd_close(&fd);
		return err;
	}
	return fd;
}

static void fail(struct listener *l, int err)
{
	const struct listeners *owner = l->owner;
	char error[sizeof l->error];

	(void)snprintf(error, sizeof error, "%s: %s", l->address,
		       strerror(err));
	/* each error is reported once, after LISTEN_QUIET failures */
	if (strcmp(error, l->error) != 0)
		l->failures = 0;
	memcpy(l->error, error, sizeof l->error);
	if (l->failures++ == LISTEN_QUIET)
		owner->events->on_error(l, strerror(err), owner->arg);
	ev_timer_set(&l->retry, l->retry_ms / 1e3, 0.);
	ev_timer_start(owner->loop, &l->retry);
	l->retry_ms = MIN(l->retry_ms * 2, (unsigned)LISTEN_RETRY_MAX_MS);
}

static void try_open(struct listener *l)
{
	struct listeners *owner = l->owner;
	struct inherited *i;
	int fd;

	LIST_FOREACH(i, &owner->inherited, link)
		if (sockaddr_equal(&i->where, &l->where))
			break;
	if (i != NULL) {
		LIST_REMOVE(i, link);
		fd = i->fd;
		l->number = i->number;
		free(i);
	} else {
		fd = open_socket(&l->where);
	}
	if (fd < 0) {
		fail(l, -fd);
		return;
	}
	if (l->failures > LISTEN_QUIET)
		owner->events->on_error(l, NULL, owner->arg);
	l->error[0] = '\0';
	l->fd = fd;
	LIST_INSERT_HEAD(&owner->untaken, l, open_link);
	owner->events->on_open(owner->arg);
}

static void on_retry(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop, (void)revents;
	try_open(container_of(t, struct listener, retry));
}

struct listener *listener_get(struct listeners *ls,
			      const struct sockaddr_any *where)
{
	struct listener *l;

	LIST_FOREACH(l, &ls->list, link)
		if (sockaddr_equal(&l->where, where))
			break;
	if (l == NULL) {
		l = xcalloc(1, sizeof *l);
		l->owner = ls;
		l->where = *where;
		l->fd = -1;
		sockaddr_format(where, l->address);
		LIST_INSERT_HEAD(&ls->list, l, link);
		l->retry_ms = LISTEN_RETRY_MIN_MS;
		ev_timer_init(&l->retry, on_retry, 0., 0.);
		try_open(l);
	}
	l->users++;
	return l;
}

void listener_put(struct listener **lp)
{
	struct listener *l = *lp;

	*lp = NULL;
	if (l == NULL || --l->users > 0)
		return;
	if (l->taken)
		l->owner->events->on_close(l, l->owner->arg);
	else if (l->fd >= 0)
		LIST_REMOVE(l, open_link);
	LIST_REMOVE(l, link);
	ev_timer_stop(l->owner->loop, &l->retry);
	fd_close(&l->fd);
	free(l);
}

void listeners_write(struct listeners *ls, struct handover *h)
{
	struct listener *l;

	LIST_FOREACH(l, &ls->list, link)
		if (l->fd >= 0)
			json_decref(handover_put(h, 'l', &l->number, l->fd));
}

void listeners_adopt(struct listeners *ls, struct handover *h)
{
	uint64_t number;
	int fd;

	while ((fd = handover_take_any(h, 'l', &number)) >= 0) {
		struct inherited *i = xcalloc(1, sizeof *i);

		i->fd = fd;
		i->number = number;
		if (sockaddr_of_listener(fd, &i->where) < 0) {
			fd_close(&i->fd);
			free(i);
			continue;
		}
		LIST_INSERT_HEAD(&ls->inherited, i, link);
	}
}

void listeners_close_unused(struct listeners *ls)
{
	struct inherited *i;

	while ((i = LIST_FIRST(&ls->inherited)) != NULL) {
		LIST_REMOVE(i, link);
		fd_close(&i->fd);
		free(i);
	}
}

struct listener *listeners_take(struct listeners *ls)
{
	struct listener *l = LIST_FIRST(&ls->untaken);

	if (l == NULL)
		return NULL;
	LIST_REMOVE(l, open_link);
	l->taken = true;
	return l;
}

void listeners_untake(struct listeners *ls)
{
	struct listener *l;

	LIST_FOREACH(l, &ls->list, link) {
		if (!l->taken)
			continue;
		l->taken = false;
		LIST_INSERT_HEAD(&ls->untaken, l, open_link);
	}
}

void listener_set_play(struct listener *l)
{
	l->play = true;
}

bool listener_is_play(const struct listener *l)
{
	return l->play;
}

const char *listener_address(const struct listener *l)
{
	return l->address;
}

int listener_fd(const struct listener *l)
{
	return l->fd;
}

const char *listener_error(const struct listener *l)
{
	return l->error[0] != '\0' ? l->error : NULL;
}
