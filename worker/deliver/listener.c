/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/listener.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/util.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	ACCEPT_BATCH = 64, /* most connections accepted in a wake-up: viewers
			    * get bytes between two wake-ups */
	/* TCP keepalive finds a dead host even if the stream is paused */
	KEEP_IDLE_S = 30,
	KEEP_INTERVAL_S = 10,
	KEEP_PROBES = 3,
	/* the kernel holds back a new connection that sends nothing, for about
	 * this time */
	SILENT_S = 10,
};

static const ev_tstamp pause_s = 0.25;

/* True if accept(2) failed because of one connection, so that the next
 * connection can be accepted. */
static bool is_of_connection(int err)
{
	switch (err) {
	case EINTR:
	case ECONNABORTED:
	case EPROTO:
	case ENETDOWN:
	case ENOPROTOOPT:
	case EHOSTDOWN:
	case ENONET:
	case EHOSTUNREACH:
	case EOPNOTSUPP:
	case ENETUNREACH:
		return true;
	default:
		return false;
	}
}

static void on_readable(struct ev_loop *loop, ev_io *io, int revents)
{
	(void)loop, (void)revents;
	struct listener *l = container_of(io, struct listener, io);

	for (int i = 0; i < ACCEPT_BATCH; i++) {
		int fd = accept4(l->io.fd, NULL, NULL,
				 SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			l->on_connection(l, fd, l->arg);
		} else if (errno == EAGAIN) {
			return;
		} else if (!is_of_connection(errno)) {
			ev_io_stop(l->loop, &l->io);
			ev_timer_again(l->loop, &l->pause);
			l->on_pause(l, -errno, l->arg);
			return;
		}
	}
}

static void on_pause_end(struct ev_loop *loop, ev_timer *timer, int revents)
{
	(void)revents;
	struct listener *l = container_of(timer, struct listener, pause);

	ev_timer_stop(loop, timer);
	ev_io_start(loop, &l->io);
}

struct listener *listener_new(const struct listener_config *cfg)
{
	/* accepted sockets inherit these options of the listening socket */
	static const struct {
		int level;
		int name;
		int value;
	} options[] = {
		{ SOL_SOCKET, SO_KEEPALIVE, 1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE, KEEP_IDLE_S },
		{ IPPROTO_TCP, TCP_KEEPINTVL, KEEP_INTERVAL_S },
		{ IPPROTO_TCP, TCP_KEEPCNT, KEEP_PROBES },
		{ IPPROTO_TCP, TCP_DEFER_ACCEPT, SILENT_S },
	};
	struct listener *l = xcalloc(1, sizeof *l);

	l->loop = cfg->loop;
	l->address = xstrdup(cfg->address);
	l->slot = cfg->slot;
	l->play = cfg->play;
	l->renewed = true;
	l->on_connection = cfg->on_connection;
	l->on_pause = cfg->on_pause;
	l->arg = cfg->arg;
	for (size_t i = 0; i < ARRAY_LEN(options); i++)
		(void)setsockopt(cfg->fd, options[i].level, options[i].name,
				 &options[i].value, sizeof options[i].value);
	/* accept() would block in a blocking socket */
	if (fd_set_nonblock(cfg->fd) < 0)
		abort();
	ev_init(&l->pause, on_pause_end);
	l->pause.repeat = pause_s;
	ev_io_init(&l->io, on_readable, cfg->fd, EV_READ);
	ev_io_start(l->loop, &l->io);
	return l;
}

void listener_free(struct listener **l)
{
	if (*l == NULL)
		return;
	ev_timer_stop((*l)->loop, &(*l)->pause);
	ev_io_stop((*l)->loop, &(*l)->io);
	(void)close((*l)->io.fd);
	free((*l)->address);
	free(*l);
	*l = NULL;
}
