/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/http/server.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/ratelimit.h"
#include "common/http/conn.h"
#include "common/loop/timer.h"

#include <errno.h>
#include <ev.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
	BACKLOG = 1024,
	ACCEPT_MAX = 64,     /* connections per wake-up */
	/* connections accepted before a retired socket is closed */
	DRAIN_MAX = 4 * BACKLOG,
	ACCEPT_PAUSE_MS = 200, /* pause after a lack of descriptors or memory */
	/* time for the last segment of TCP handshakes that have begun; the
	 * network may lose it once */
	RETIRE_MS = 3000,
};

struct listener {
	struct listener *next;
	struct http_server *server;
	ev_io readable;
	ev_timer pause;
	ev_timer retired;
	int fd;
};

struct http_server {
	struct http_pool pool;
	struct listener *listeners; /* in the order of http_server_listen() */
	struct ratelimit accept_log;
};

static unsigned or_default(unsigned value, unsigned other)
{
	return value ? value : other;
}

struct http_server *http_server_new(const struct http_server_config *cfg)
{
	struct http_server *s = xcalloc(1, sizeof *s);
	struct http_server_config *own = &s->pool.cfg;

	*own = *cfg;
	TAILQ_INIT(&s->pool.conns);
	turn_queue_init(&s->pool.lasting, cfg->loop);
	own->head_timeout_ms = or_default(cfg->head_timeout_ms,
					  HTTP_HEAD_TIMEOUT_MS);
	own->body_timeout_ms = or_default(cfg->body_timeout_ms,
					  HTTP_BODY_TIMEOUT_MS);
	own->idle_timeout_ms = or_default(cfg->idle_timeout_ms,
					  HTTP_IDLE_TIMEOUT_MS);
	own->answer_timeout_ms = or_default(cfg->answer_timeout_ms,
					    HTTP_ANSWER_TIMEOUT_MS);
	own->answer_rate_min = or_default(cfg->answer_rate_min,
					  HTTP_ANSWER_RATE_MIN);
	own->connections_max = or_default(cfg->connections_max,
					  HTTP_CONNECTIONS_MAX);
	own->retire_ms = or_default(cfg->retire_ms, RETIRE_MS);
	return s;
}

static void listener_free(struct listener *l)
{
	ev_io_stop(l->server->pool.cfg.loop, &l->readable);
	ev_timer_stop(l->server->pool.cfg.loop, &l->pause);
	ev_timer_stop(l->server->pool.cfg.loop, &l->retired);
	fd_close(&l->fd);
	free(l);
}

void http_server_free(struct http_server **server)
{
	struct http_server *s = *server;

	if (s == NULL)
		return;
	*server = NULL;
	while (s->listeners) {
		struct listener *l = s->listeners;

		s->listeners = l->next;
		listener_free(l);
	}
	http_pool_done(&s->pool);
	turn_queue_done(&s->pool.lasting);
	first_byte_free(&s->pool.first);
	free(s);
}

/* Accepts at most max connections.  -errno: there are no descriptors or no
 * memory for more. */
static int accept_some(struct listener *l, unsigned max)
{
	for (unsigned i = 0; i < max; i++) {
		struct sockaddr_any peer = { .len = sizeof peer.in6 };
		int fd = accept4(l->fd, &peer.sa, &peer.len,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);
		int err = errno;

		if (fd >= 0) {
			(void)http_pool_add(&l->server->pool, fd, &peer);
			continue;
		}
		if (err == EAGAIN)
			return 0;
		/* other errors: the connection failed before accept() */
		if (err == EMFILE || err == ENFILE || err == ENOBUFS ||
		    err == ENOMEM)
			return -err;
	}
	return 0;
}

static void on_readable(struct ev_loop *loop, ev_io *w, int revents)
{
	struct listener *l = container_of(w, struct listener, readable);
	int err = accept_some(l, ACCEPT_MAX);
	unsigned suppressed;

	(void)revents;
	if (err == 0)
		return;
	if (ratelimit_pass(&l->server->accept_log, mono_ms(), &suppressed))
		log_warning("http", "cannot accept connections: %s "
			    "(%u more since the last line)",
			    strerror(-err), suppressed);
	/* without a pause the loop would wake up for the same error at once */
	ev_io_stop(loop, &l->readable);
	timer_start(loop, &l->pause, ACCEPT_PAUSE_MS / 1e3);
}

static void on_pause(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct listener *l = container_of(w, struct listener, pause);

	(void)revents;
	ev_io_start(loop, &l->readable);
}

/* on 1: the sockets fd and `beside' (-1: none) may share a port. on 0: no
 * further socket may share it. */
static void share_port(int fd, int beside, int on)
{
	if (beside < 0)
		return;
	(void)fd_set_option(beside, SOL_SOCKET, SO_REUSEPORT, on);
	(void)fd_set_option(fd, SOL_SOCKET, SO_REUSEPORT, on);
}

/* Opens a listening socket; returns it, or -errno.  beside: a listening socket
 * whose address may include this one, or the reverse; -1: none. */
static int open_socket(const struct sockaddr_any *address, int beside)
{
	int fd = socket(address->sa.sa_family,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int on = 1;
	int err = 0;

	if (fd < 0)
		return -errno;
	share_port(fd, beside, 1);
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
	    bind(fd, &address->sa, address->len) < 0 ||
	    listen(fd, BACKLOG) < 0)
		err = -errno;
	/* no further socket may share the port */
	share_port(fd, beside, 0);
	if (err < 0)
		fd_close(&fd);
	return err < 0 ? err : fd;
}

static void on_retired(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct listener *l = container_of(w, struct listener, retired);
	struct listener **at = &l->server->listeners;

	(void)loop, (void)revents;
	(void)accept_some(l, DRAIN_MAX);
	/* copies of the socket in other processes stop listening, too */
	(void)shutdown(l->fd, SHUT_RDWR);
	while (*at != l)
		at = &(*at)->next;
	*at = l->next;
	listener_free(l);
}

static void add_listener(struct http_server *s, int fd)
{
	struct listener **last = &s->listeners;
	struct listener *l = xcalloc(1, sizeof *l);

	l->server = s;
	l->fd = fd;
	ev_io_init(&l->readable, on_readable, fd, EV_READ);
	ev_init(&l->pause, on_pause);
	ev_init(&l->retired, on_retired);
	while (*last)
		last = &(*last)->next;
	*last = l;
	ev_io_start(s->pool.cfg.loop, &l->readable);
}

static int listen_at(struct http_server *s, const struct sockaddr_any *address,
		     int beside)
{
	int fd = open_socket(address, beside);

	if (fd < 0)
		return fd;
	add_listener(s, fd);
	return 0;
}

int http_server_listen(struct http_server *s,
		       const struct sockaddr_any *address)
{
	return listen_at(s, address, -1);
}

int http_server_listen_beside(struct http_server *s,
			      const struct sockaddr_any *address, int beside)
{
	struct sockaddr_any other;

	/* if the ports differ, sharing would hide that a port is in use */
	if (sockaddr_of_listener(beside, &other) < 0 ||
	    sockaddr_port(&other) != sockaddr_port(address))
		beside = -1;
	return listen_at(s, address, beside);
}

int http_server_adopt(struct http_server *s, int fd)
{
	struct sockaddr_any bound;
	int err = sockaddr_of_listener(fd, &bound);

	/* a blocking socket would block the loop in accept() */
	if (err == 0)
		err = fd_set_nonblock(fd);
	if (err < 0) {
		fd_close(&fd);
		return err;
	}
	add_listener(s, fd);
	return 0;
}

void http_server_retire(struct http_server *s, int fd)
{
	struct listener *l = s->listeners;

	while (l != NULL && l->fd != fd)
		l = l->next;
	if (l == NULL)
		return;
	/* New connections reach the other socket that has the address, because
	 * this one is bound to an interface that does not exist.  This socket
	 * completes the connections that have begun. */
	(void)fd_set_option(fd, SOL_SOCKET, SO_BINDTOIFINDEX, INT_MAX);
	timer_start(s->pool.cfg.loop, &l->retired,
		    s->pool.cfg.retire_ms / 1e3);
}

void http_server_set_tls(struct http_server *s, http_serve_tls_fn *serve,
			 void *arg)
{
	if (s->pool.first == NULL)
		s->pool.first = first_byte_new(s->pool.cfg.loop);
	s->pool.serve_tls = serve;
	s->pool.serve_arg = arg;
}

int http_server_fd(const struct http_server *s, size_t i)
{
	const struct listener *l = s->listeners;

	while (l && i-- > 0)
		l = l->next;
	return l ? l->fd : -1;
}
