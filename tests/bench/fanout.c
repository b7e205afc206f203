/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plain way to serve HTTP viewers, for comparison: reads what is
 * there, which is a datagram or a few, and writes it to each viewer.  With
 * --tick it waits that many milliseconds each time, so that more is there.
 *
 * One stream, any path.  What a viewer's socket does not take waits in memory
 * of the viewer's own; with more than BACKLOG_MAX there it is closed.
 */
#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/fd.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "tests/bench/args.h"
#include "tests/bench/descriptors.h"
#include "tests/bench/orders.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
	DATAGRAM = 7 * 188,
	BATCH = 256, /* datagrams in one write at most */
	EVENTS = 64,
	LISTEN_BACKLOG = 4096,
	BACKLOG_MAX = 1 << 20,
	SOCKET_BUFFER = 4 << 20,
	WAIT_MS = 100,
};

struct options {
	const char *address;
	unsigned from; /* UDP port */
	unsigned port; /* of the viewers */
	unsigned viewers;
	unsigned tick_ms; /* 0 = at every datagram */
};

struct viewer {
	int fd;
	struct buf backlog;
};

struct fanout {
	struct options options;
	int epoll;
	int in;
	int listener;
	struct viewer *viewers;
	unsigned n_viewers;
	uint64_t datagrams;
	uint64_t cut;
	struct mmsghdr msgs[BATCH];
	struct iovec iovs[BATCH];
	uint8_t data[BATCH * DATAGRAM];
};

static const char usage[] =
	"usage: fanout [--address IP] [--from PORT] [--port PORT] "
	"[--viewers MAX]\n              [--tick MS]\n";

static struct options parse_options(int argc, char **argv)
{
	struct options o = { .address = "127.0.0.1", .from = 10000,
			     .port = 8100, .viewers = 10000 };
	const struct arg args[] = {
		{ "--address", ARG_TEXT, &o.address, 0, 0 },
		{ "--from", ARG_NUMBER, &o.from, 1, 65535 },
		{ "--port", ARG_NUMBER, &o.port, 1, 65535 },
		{ "--viewers", ARG_NUMBER, &o.viewers, 1, 20000 },
		{ "--tick", ARG_NUMBER, &o.tick_ms, 1, 1000 },
	};

	args_parse(argc, argv, args, ARRAY_LEN(args), usage);
	return o;
}

static int open_bound(const struct options *o, unsigned port, int type)
{
	struct sockaddr_any at;
	int one = 1, size = SOCKET_BUFFER;

	if (sockaddr_parse(o->address, (uint16_t)port, &at) < 0)
		return -EINVAL;
	int fd = socket(at.sa.sa_family,
			type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one,
				 sizeof one) < 0)
		return -errno;
	if (type == SOCK_DGRAM)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size,
				 sizeof size);
	if (bind(fd, &at.sa, at.len) < 0)
		return -errno;
	if (type == SOCK_STREAM && listen(fd, LISTEN_BACKLOG) < 0)
		return -errno;
	return fd;
}

static int watch(struct fanout *f, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(f->epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static int open_all(struct fanout *f)
{
	f->epoll = epoll_create1(EPOLL_CLOEXEC);
	f->in = open_bound(&f->options, f->options.from, SOCK_DGRAM);
	f->listener = open_bound(&f->options, f->options.port, SOCK_STREAM);
	if (f->in < 0 || f->listener < 0)
		return MIN(f->in, f->listener);
	for (unsigned i = 0; i < BATCH; i++) {
		f->iovs[i] = (struct iovec){ f->data + i * DATAGRAM,
					     DATAGRAM };
		f->msgs[i].msg_hdr.msg_iov = &f->iovs[i];
		f->msgs[i].msg_hdr.msg_iovlen = 1;
	}
	f->viewers = xcalloc(f->options.viewers, sizeof *f->viewers);
	int r = watch(f, f->listener);
	return r < 0 || f->options.tick_ms > 0 ? r : watch(f, f->in);
}

static void accept_all(struct fanout *f)
{
	while (f->n_viewers < f->options.viewers) {
		int fd = accept4(f->listener, NULL, NULL,
				 SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0)
			return;
		if (watch(f, fd) < 0)
			fd_close(&fd);
	}
}

/* The request is whole in one segment from the clients of the bench. */
static void answer(struct fanout *f, int fd)
{
	static const char head[] = "HTTP/1.1 200 OK\r\n"
				   "Content-Type: video/mp2t\r\n\r\n";
	char request[2048];

	if (recv(fd, request, sizeof request, 0) > 0 &&
	    send(fd, head, sizeof head - 1, MSG_NOSIGNAL) > 0) {
		(void)epoll_ctl(f->epoll, EPOLL_CTL_DEL, fd, NULL);
		f->viewers[f->n_viewers++].fd = fd;
	} else {
		(void)close(fd);
	}
}

/* The number of bytes sent, or -errno; 0 when the socket is full. */
static ssize_t send_some(int fd, const uint8_t *data, size_t len)
{
	ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	return n;
}

/* False when the viewer has disconnected or is much too slow. */
static bool write_viewer(struct viewer *v, const uint8_t *data, size_t len)
{
	ssize_t n = 0;

	if (buf_len(&v->backlog) > 0) {
		n = send_some(v->fd, buf_head(&v->backlog),
			      buf_len(&v->backlog));
		if (n < 0)
			return false;
		buf_take(&v->backlog, (size_t)n);
		n = 0;
	}
	if (buf_len(&v->backlog) == 0)
		n = send_some(v->fd, data, len);
	if (n < 0)
		return false;
	if ((size_t)n < len)
		buf_append(&v->backlog, data + n, len - (size_t)n);
	return buf_len(&v->backlog) <= BACKLOG_MAX;
}

static void write_all(struct fanout *f, size_t len)
{
	for (unsigned i = 0; i < f->n_viewers;) {
		struct viewer *v = &f->viewers[i];

		if (write_viewer(v, f->data, len)) {
			i++;
			continue;
		}
		f->cut++;
		fd_close(&v->fd);
		buf_done(&v->backlog);
		*v = f->viewers[--f->n_viewers];
		f->viewers[f->n_viewers] = (struct viewer){ 0 };
	}
}

static void read_input(struct fanout *f)
{
	int n = recvmmsg(f->in, f->msgs, BATCH, 0, NULL);

	/* The generator's datagrams are all full: they lie in a row. */
	if (n > 0) {
		f->datagrams += (unsigned)n;
		write_all(f, (size_t)n * DATAGRAM);
	}
}

static void run(struct fanout *f)
{
	unsigned tick_ms = f->options.tick_ms;
	struct epoll_event events[EVENTS];

	while (!orders_stop()) {
		if (tick_ms > 0) {
			(void)usleep(tick_ms * 1000);
			read_input(f);
		}
		int n = epoll_wait(f->epoll, events, EVENTS,
				   tick_ms > 0 ? 0 : WAIT_MS);

		for (int i = 0; i < n; i++) {
			int fd = events[i].data.fd;

			if (fd == f->in)
				read_input(f);
			else if (fd == f->listener)
				accept_all(f);
			else if (f->n_viewers < f->options.viewers)
				answer(f, fd);
			else
				(void)close(fd);
		}
	}
}

int main(int argc, char **argv)
{
	struct fanout *f = xcalloc(1, sizeof *f);

	f->options = parse_options(argc, argv);
	descriptors_allow();
	orders_listen();
	int r = open_all(f);
	if (r < 0) {
		fprintf(stderr, "fanout: %s\n", strerror(-r));
		return 1;
	}
	puts("ready");
	(void)fflush(stdout);
	run(f);
	printf("{\"datagrams\":%" PRIu64 ",\"cut\":%" PRIu64 "}\n",
	       f->datagrams, f->cut);
	for (unsigned i = 0; i < f->n_viewers; i++)
		buf_done(&f->viewers[i].backlog);
	free(f->viewers);
	free(f);
	return 0;
}
