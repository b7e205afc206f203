/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/loop/first_byte.h"

#include "common/base/alloc.h"
#include "common/base/util.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { BATCH_MAX = 64 /* connections per wake-up */ };

struct first_byte {
	struct ev_loop *loop;
	ev_io io; /* watches the epoll set */
};

/* Fetches a single event per system call, because a callback may remove other
 * readable connections. */
static void on_readable(struct ev_loop *loop, ev_io *io, int revents)
{
	struct first_byte *f = container_of(io, struct first_byte, io);
	struct epoll_event event;

	(void)loop, (void)revents;
	for (int i = 0; i < BATCH_MAX; i++) {
		struct first_byte_wait *wait;

		if (epoll_wait(io->fd, &event, 1, 0) <= 0)
			return;
		wait = event.data.ptr;
		first_byte_remove(f, wait);
		wait->on_byte(wait);
	}
}

struct first_byte *first_byte_new(struct ev_loop *loop)
{
	int fd = epoll_create1(EPOLL_CLOEXEC);
	struct first_byte *f;

	if (fd < 0)
		return NULL;
	f = xcalloc(1, sizeof *f);
	f->loop = loop;
	ev_io_init(&f->io, on_readable, fd, EV_READ);
	ev_io_start(loop, &f->io);
	return f;
}

void first_byte_free(struct first_byte **f)
{
	if (*f == NULL)
		return;
	ev_io_stop((*f)->loop, &(*f)->io);
	(void)close((*f)->io.fd);
	free(*f);
	*f = NULL;
}

int first_byte_add(struct first_byte *f, struct first_byte_wait *wait)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = wait };

	return epoll_ctl(f->io.fd, EPOLL_CTL_ADD, wait->fd, &event) < 0 ?
		       -errno : 0;
}

void first_byte_remove(struct first_byte *f,
		       const struct first_byte_wait *wait)
{
	(void)epoll_ctl(f->io.fd, EPOLL_CTL_DEL, wait->fd, NULL);
}
