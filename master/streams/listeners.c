/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/listeners.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/loop/timer.h"
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

/* A listening socket; several of them share the address of a listener. */
struct slot {
	LIST_ENTRY(slot) link;
	struct listener *owner;
	int fd;
	uint64_t number; /* number of the socket in the handover */
	int holder; /* number of the worker that has the socket; -1: none */
	bool is_due; /* the socket must be sent to another worker */
};

struct listener {
	LIST_ENTRY(listener) link;
	struct listeners *owner;
	bool play; /* the listener also serves the play paths */
	unsigned failures;
	unsigned retry_ms;
	struct sockaddr_any where;
	char address[SOCKADDR_TEXT_MAX];
	unsigned users;
	unsigned n_slots; /* 0: not open */
	struct slot slots[MSG_SLOTS_MAX];
	/* "": viewers can connect */
	char error[SOCKADDR_TEXT_MAX + 80];
	ev_timer retry;
};

/* A listening socket of the previous master that no listener uses yet. */
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
	/* checks every LISTEN_CHECK_MS that the host has the addresses */
	ev_timer check;
	LIST_HEAD(, listener) list;
	LIST_HEAD(, inherited) inherited;
	/* this process is a trial: the running master uses the same sockets */
	bool trial;
	unsigned n_workers;
	bool serves[MSG_DELIVER_MAX];
	/* numbers of the n_serving workers whose member of serves is true */
	unsigned serving[MSG_DELIVER_MAX];
	unsigned n_serving;
	/* sockets to send to each worker */
	LIST_HEAD(, slot) due[MSG_DELIVER_MAX];
};

/* False: the kernel refuses the address, because the host does not have it and
 * ip_nonlocal_bind does not allow it.  True as well if that cannot be
 * checked. */
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

/* Reports each open listener whose address was removed from the host or exists
 * again.  The sockets of the listener stay open. */
static void on_check(struct ev_loop *loop, ev_timer *t, int revents)
{
	static const char lost[] = "the address is not on this host";
	const struct listeners *ls = container_of(t, struct listeners, check);
	struct listener *l;

	(void)loop, (void)revents;
	LIST_FOREACH(l, &ls->list, link) {
		bool was_here = l->error[0] == '\0';
		bool here = l->n_slots == 0 ? was_here : is_here(&l->where);

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
				unsigned n_workers, void *arg)
{
	struct listeners *ls = xcalloc(1, sizeof *ls);

	assert(n_workers > 0 && n_workers <= MSG_DELIVER_MAX);
	ls->n_workers = n_workers;

	ls->loop = loop;
	ls->events = events;
	ls->arg = arg;
	ev_init(&ls->check, on_check);
	timer_repeat(loop, &ls->check, LISTEN_CHECK_MS / 1e3,
		     LISTEN_CHECK_MS / 1e3);
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

/* --- sockets and workers --- */

/* Returns the worker that shall have this socket; -1: none accepts viewers. */
static int wanted(const struct listeners *ls, const struct slot *s)
{
	unsigned at = (unsigned)(s - s->owner->slots);
	unsigned own = at % ls->n_workers;

	if (ls->n_serving == 0)
		return -1;
	return (int)(ls->serves[own] ? own
				     : ls->serving[at % ls->n_serving]);
}

static void place(struct listeners *ls, struct slot *s)
{
	int worker = wanted(ls, s);

	if (s->is_due)
		LIST_REMOVE(s, link);
	s->is_due = worker >= 0 && worker != s->holder;
	if (s->is_due)
		LIST_INSERT_HEAD(&ls->due[worker], s, link);
}

static void place_all(struct listeners *ls)
{
	struct listener *l;

	LIST_FOREACH(l, &ls->list, link)
		for (unsigned i = 0; i < l->n_slots; i++)
			place(ls, &l->slots[i]);
}

void listeners_share(struct listeners *ls, const bool serves[MSG_DELIVER_MAX])
{
	ls->n_serving = 0;
	for (unsigned i = 0; i < MSG_DELIVER_MAX; i++) {
		ls->serves[i] = serves[i];
		if (serves[i])
			ls->serving[ls->n_serving++] = i;
	}
	place_all(ls);
}

bool listeners_take(struct listeners *ls, unsigned worker,
		    struct listener_socket *ret)
{
	struct slot *s = LIST_FIRST(&ls->due[worker]);

	if (s == NULL)
		return false;
	*ret = (struct listener_socket){
		.listener = s->owner,
		.slot = (unsigned)(s - s->owner->slots),
		.fd = s->fd,
		.from = s->holder,
	};
	LIST_REMOVE(s, link);
	s->is_due = false;
	s->holder = (int)worker;
	return true;
}

void listeners_untake(struct listeners *ls, unsigned worker)
{
	struct listener *l;

	LIST_FOREACH(l, &ls->list, link)
		for (unsigned i = 0; i < l->n_slots; i++)
			if (l->slots[i].holder == (int)worker)
				l->slots[i].holder = -1;
	place_all(ls);
}

/* --- the sockets of an address --- */

static int share_port(int fd, int on)
{
	return fd_set_option(fd, SOL_SOCKET, SO_REUSEPORT, on);
}

/* Opens a listening socket; returns it, or -errno.  shared: with
 * SO_REUSEPORT. */
static int open_socket(const struct sockaddr_any *where, bool shared)
{
	int on = 1, err;
	int fd = socket(where->sa.sa_family,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
	    (shared && share_port(fd, 1) < 0) ||
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

static void add_slot(struct listener *l, int fd, uint64_t number)
{
	l->slots[l->n_slots++] = (struct slot){
		.owner = l, .fd = fd, .number = number, .holder = -1,
	};
}

/* Takes the sockets of the previous master that have the address of this
 * listener. */
static void take_inherited(struct listener *l)
{
	struct inherited *i, *next;

	for (i = LIST_FIRST(&l->owner->inherited); i != NULL; i = next) {
		next = LIST_NEXT(i, link);
		if (!sockaddr_equal(&i->where, &l->where) ||
		    l->n_slots == MSG_SLOTS_MAX)
			continue;
		LIST_REMOVE(i, link);
		add_slot(l, i->fd, i->number);
		free(i);
	}
}

/* Opens the further sockets of a listener, one for each worker.  The first one
 * was bound without SO_REUSEPORT, so that a port of another process is an
 * error.  If a socket cannot be opened, some workers get no viewers there. */
static void add_shared(struct listener *l)
{
	unsigned n = l->owner->n_workers;

	/* viewers would wait in a socket of the trial, and be reset at its
	 * end */
	if (l->owner->trial)
		return;
	while (l->n_slots < n) {
		int fd = share_port(l->slots[0].fd, 1);

		if (fd == 0)
			fd = open_socket(&l->where, true);
		if (fd < 0) {
			log_warning("deliver", "%s: %u of %u workers accept "
				    "no viewers: cannot open a socket: %s",
				    l->address, n - l->n_slots, n,
				    strerror(-fd));
			return;
		}
		add_slot(l, fd, 0);
	}
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
	timer_start(owner->loop, &l->retry, l->retry_ms / 1e3);
	l->retry_ms = MIN(l->retry_ms * 2, (unsigned)LISTEN_RETRY_MAX_MS);
}

/* Opens a listener, or starts the timer of the next attempt.  beside: uses
 * SO_REUSEPORT, because unused sockets of the previous master have the port. */
static void try_open(struct listener *l, bool beside)
{
	struct listeners *owner = l->owner;

	take_inherited(l);
	if (l->n_slots == 0) {
		int fd = open_socket(&l->where, beside);

		if (fd < 0) {
			fail(l, -fd);
			return;
		}
		add_slot(l, fd, 0);
	}
	add_shared(l);
	if (l->failures > LISTEN_QUIET)
		owner->events->on_error(l, NULL, owner->arg);
	l->error[0] = '\0';
	for (unsigned i = 0; i < l->n_slots; i++)
		place(owner, &l->slots[i]);
	owner->events->on_open(owner->arg);
}

static void on_retry(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop, (void)revents;
	try_open(container_of(t, struct listener, retry), false);
}

struct listener *listener_get(struct listeners *ls,
			      const struct sockaddr_any *where, bool play)
{
	struct listener *l;

	LIST_FOREACH(l, &ls->list, link)
		if (sockaddr_equal(&l->where, where))
			break;
	if (l == NULL) {
		l = xcalloc(1, sizeof *l);
		l->owner = ls;
		l->where = *where;
		l->play = play;
		sockaddr_format(where, l->address);
		LIST_INSERT_HEAD(&ls->list, l, link);
		l->retry_ms = LISTEN_RETRY_MIN_MS;
		ev_init(&l->retry, on_retry);
		try_open(l, false);
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
	LIST_REMOVE(l, link);
	ev_timer_stop(l->owner->loop, &l->retry);
	for (unsigned i = 0; i < l->n_slots; i++) {
		struct slot *s = &l->slots[i];

		if (s->is_due)
			LIST_REMOVE(s, link);
		if (s->holder >= 0)
			l->owner->events->on_close(l, i, (unsigned)s->holder,
						   l->owner->arg);
		fd_close(&s->fd);
	}
	free(l);
}

void listeners_write(struct listeners *ls, struct handover *h)
{
	struct listener *l;

	LIST_FOREACH(l, &ls->list, link)
		for (unsigned i = 0; i < l->n_slots; i++)
			json_decref(handover_put(h, 'l', &l->slots[i].number,
						 l->slots[i].fd));
}

void listeners_adopt(struct listeners *ls, struct handover *h)
{
	uint64_t number;
	int fd;

	ls->trial = handover_is_trial(h);
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

/* Permits (on 1) or forbids (0) that the unused sockets of the previous master
 * share their port with this listener.  False: no such socket has the port. */
static bool share_unused(const struct listener *l, int on)
{
	const struct inherited *i;
	bool found = false;

	LIST_FOREACH(i, &l->owner->inherited, link) {
		if (sockaddr_port(&i->where) != sockaddr_port(&l->where))
			continue;
		(void)share_port(i->fd, on);
		found = true;
	}
	return found;
}

/* Opens a listener that failed because an unused socket of the previous master
 * has its port: the address of one may include that of the other.  Viewers can
 * connect without interruption. */
static void open_beside_unused(struct listener *l)
{
	if (!share_unused(l, 1))
		return;
	ev_timer_stop(l->owner->loop, &l->retry);
	try_open(l, true);
	(void)share_unused(l, 0);
	if (l->n_slots == 1)
		(void)share_port(l->slots[0].fd, 0);
}

void listeners_close_unused(struct listeners *ls)
{
	struct inherited *i;
	struct listener *l;

	/* in a trial, viewers would connect to the new socket, and be reset */
	LIST_FOREACH(l, &ls->list, link)
		if (l->n_slots == 0 && !ls->trial)
			open_beside_unused(l);
	while ((i = LIST_FIRST(&ls->inherited)) != NULL) {
		LIST_REMOVE(i, link);
		fd_close(&i->fd);
		free(i);
	}
}

bool listener_is_play(const struct listener *l)
{
	return l->play;
}

const char *listener_address(const struct listener *l)
{
	return l->address;
}

const char *listener_error(const struct listener *l)
{
	return l->error[0] != '\0' ? l->error : NULL;
}
