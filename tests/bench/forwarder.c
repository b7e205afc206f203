/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The floor of the UDP measurement: one process that takes datagrams from N
 * ports with recvmmsg and sends them on with UDP_SEGMENT, and does nothing
 * else.  It wakes every --tick milliseconds, so that batches are worth the
 * call; with --epoll it wakes whenever a port has something.
 */
#include "common/base/alloc.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "tests/bench/args.h"
#include "tests/bench/orders.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/udp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum {
	DATAGRAM = 7 * 188,
	BATCH = 48, /* datagrams that fit one UDP_SEGMENT send of 64 KiB */
	EVENTS = 64,
	SOCKET_BUFFER = 2 << 20,
	WAIT_MS = 100,
};

struct options {
	unsigned streams;
	const char *address;
	unsigned from;
	unsigned to;
	unsigned tick_ms;
	bool epoll;
};

struct route {
	int in;
	int out;
};

struct forwarder {
	struct options options;
	struct route *routes;
	struct mmsghdr msgs[BATCH];
	struct iovec iovs[BATCH];
	uint8_t data[BATCH][DATAGRAM];
	uint64_t datagrams;
	uint64_t sends;
	uint64_t failed;
};

static const char usage[] =
	"usage: forwarder [--streams N] [--address IP] [--from PORT] "
	"[--to PORT]\n                 [--tick MS | --epoll]\n";

static struct options parse_options(int argc, char **argv)
{
	struct options o = { .streams = 1, .address = "127.0.0.1",
			     .from = 10000, .to = 20000, .tick_ms = 8 };
	const struct arg args[] = {
		{ "--streams", ARG_NUMBER, &o.streams, 1, 10000 },
		{ "--address", ARG_TEXT, &o.address, 0, 0 },
		{ "--from", ARG_NUMBER, &o.from, 1, 65535 },
		{ "--to", ARG_NUMBER, &o.to, 1, 65535 },
		{ "--tick", ARG_NUMBER, &o.tick_ms, 1, 1000 },
		{ "--epoll", ARG_FLAG, &o.epoll, 0, 0 },
	};

	args_parse(argc, argv, args, ARRAY_LEN(args), usage);
	return o;
}

static int open_route(const struct options *o, unsigned i, struct route *ret)
{
	struct sockaddr_any from, to;
	int size = SOCKET_BUFFER, segment = DATAGRAM;

	if (MAX(o->from, o->to) + i > UINT16_MAX ||
	    sockaddr_parse(o->address, (uint16_t)(o->from + i), &from) < 0 ||
	    sockaddr_parse(o->address, (uint16_t)(o->to + i), &to) < 0)
		return -EINVAL;
	ret->in = socket(from.sa.sa_family,
			 SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	ret->out = socket(to.sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (ret->in < 0 || ret->out < 0)
		return -errno;
	if (setsockopt(ret->in, SOL_SOCKET, SO_RCVBUFFORCE, &size,
		       sizeof size) < 0)
		(void)setsockopt(ret->in, SOL_SOCKET, SO_RCVBUF, &size,
				 sizeof size);
	if (bind(ret->in, &from.sa, from.len) < 0 ||
	    connect(ret->out, &to.sa, to.len) < 0 ||
	    setsockopt(ret->out, IPPROTO_UDP, UDP_SEGMENT, &segment,
		       sizeof segment) < 0)
		return -errno;
	return 0;
}

/* Only the last datagram of a send may be shorter than a segment. */
static unsigned run_of(const struct mmsghdr *msgs, unsigned n)
{
	unsigned len = 1;

	while (len < n && msgs[len - 1].msg_len == DATAGRAM)
		len++;
	return len;
}

static void send_on(struct forwarder *f, const struct route *r, unsigned n)
{
	for (unsigned i = 0; i < n;) {
		unsigned len = run_of(f->msgs + i, n - i);
		const struct msghdr msg = {
			.msg_iov = f->iovs + i,
			.msg_iovlen = len,
		};

		for (unsigned j = i; j < i + len; j++)
			f->iovs[j].iov_len = f->msgs[j].msg_len;
		f->sends++;
		if (sendmsg(r->out, &msg, 0) < 0)
			f->failed += len;
		i += len;
	}
}

static void forward(struct forwarder *f, const struct route *r)
{
	int n;

	do {
		for (unsigned i = 0; i < BATCH; i++)
			f->iovs[i].iov_len = DATAGRAM;
		n = recvmmsg(r->in, f->msgs, BATCH, 0, NULL);
		if (n > 0) {
			f->datagrams += (unsigned)n;
			send_on(f, r, (unsigned)n);
		}
	} while (n == BATCH);
}

static void run_ticks(struct forwarder *f)
{
	struct timespec at;

	/* as the workers: many of them wake in the same moments */
	(void)clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_nsec -= at.tv_nsec % ((long)f->options.tick_ms * 1000000);
	while (!orders_stop()) {
		at.tv_nsec += (long)f->options.tick_ms * 1000000;
		at.tv_sec += at.tv_nsec / 1000000000;
		at.tv_nsec %= 1000000000;
		(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at,
				      NULL);
		for (unsigned i = 0; i < f->options.streams; i++)
			forward(f, &f->routes[i]);
	}
}

static int run_epoll(struct forwarder *f)
{
	struct epoll_event events[EVENTS];
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	if (epoll < 0)
		return -errno;
	for (unsigned i = 0; i < f->options.streams; i++) {
		struct epoll_event event = { .events = EPOLLIN,
					     .data.ptr = &f->routes[i] };

		if (epoll_ctl(epoll, EPOLL_CTL_ADD, f->routes[i].in,
			      &event) < 0)
			return -errno;
	}
	while (!orders_stop()) {
		int n = epoll_wait(epoll, events, EVENTS, WAIT_MS);

		for (int i = 0; i < n; i++)
			forward(f, events[i].data.ptr);
	}
	(void)close(epoll);
	return 0;
}

static int open_all(struct forwarder *f)
{
	f->routes = xcalloc(f->options.streams, sizeof *f->routes);
	for (unsigned i = 0; i < f->options.streams; i++) {
		int r = open_route(&f->options, i, &f->routes[i]);

		if (r < 0)
			return r;
	}
	for (unsigned i = 0; i < BATCH; i++) {
		f->iovs[i].iov_base = f->data[i];
		f->msgs[i].msg_hdr.msg_iov = &f->iovs[i];
		f->msgs[i].msg_hdr.msg_iovlen = 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct forwarder *f = xcalloc(1, sizeof *f);

	f->options = parse_options(argc, argv);
	orders_listen();
	int r = open_all(f);
	if (r == 0) {
		puts("ready");
		(void)fflush(stdout);
		if (f->options.epoll)
			r = run_epoll(f);
		else
			run_ticks(f);
	}
	if (r < 0) {
		fprintf(stderr, "forwarder: %s\n", strerror(-r));
		return 1;
	}
	printf("{\"datagrams\":%" PRIu64 ",\"sends\":%" PRIu64
	       ",\"failed\":%" PRIu64 "}\n",
	       f->datagrams, f->sends, f->failed);
	free(f->routes);
	free(f);
	return 0;
}
