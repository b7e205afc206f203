/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Receives the generator's streams and reports their faults: one line of JSON
 * at the end, and one at each SIGUSR1.  It reads its sockets on a timer: the
 * times come from the kernel, so a late read costs no accuracy, and no sender
 * pays for waking it.
 */
#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "tests/bench/args.h"
#include "tests/bench/check_stream.h"
#include "tests/bench/orders.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	BATCH = 64,
	DATAGRAM_MAX = 2048,
	RTP_HEADER = 12,
	LOOK_EVERY_NS = 4000000,
	SOCKET_BUFFER = 8 << 20,
};

struct options {
	unsigned streams;
	uint64_t rate_bps;
	unsigned seconds; /* 0 = until a signal */
	const char *address;
	unsigned port;
	bool rtp;
};

struct checker {
	struct options options;
	int *fds;
	struct check_stream *streams;
	struct check_totals totals;
	int64_t wall_minus_mono_ns;
	struct mmsghdr msgs[BATCH];
	struct iovec iovs[BATCH];
	uint8_t data[BATCH][DATAGRAM_MAX];
	union {
		char space[CMSG_SPACE(sizeof(struct timespec))];
		struct cmsghdr align;
	} controls[BATCH];
};

static const char usage[] =
	"usage: tscheck [--streams N] [--rate MBIT] [--seconds N] "
	"[--address IP]\n               [--port FIRST] [--rtp]\n";

static struct options parse_options(int argc, char **argv)
{
	struct options o = { .streams = 1, .rate_bps = 8000000,
			     .address = "127.0.0.1", .port = 10000 };
	const struct arg args[] = {
		{ "--streams", ARG_NUMBER, &o.streams, 1, 10000 },
		{ "--rate", ARG_RATE, &o.rate_bps, 0, 0 },
		{ "--seconds", ARG_NUMBER, &o.seconds, 1, 86400 },
		{ "--address", ARG_TEXT, &o.address, 0, 0 },
		{ "--port", ARG_NUMBER, &o.port, 1, 65535 },
		{ "--rtp", ARG_FLAG, &o.rtp, 0, 0 },
	};

	args_parse(argc, argv, args, ARRAY_LEN(args), usage);
	return o;
}

static int join(int fd, const struct sockaddr_any *group)
{
	struct group_req req = { 0 };
	bool v6 = group->sa.sa_family == AF_INET6;

	memcpy(&req.gr_group, &group->sa, group->len);
	if (setsockopt(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP, MCAST_JOIN_GROUP,
		       &req, sizeof req) < 0)
		return -errno;
	return 0;
}

static int open_socket(const struct options *o, unsigned i)
{
	int one = 1, size = SOCKET_BUFFER;
	struct sockaddr_any at;

	if (o->port + i > UINT16_MAX ||
	    sockaddr_parse(o->address, (uint16_t)(o->port + i), &at) < 0)
		return -EINVAL;
	int fd = socket(at.sa.sa_family,
			SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) < 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size,
				 sizeof size);
	if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one) < 0 ||
	    bind(fd, &at.sa, at.len) < 0)
		return -errno;
	int r = sockaddr_is_multicast(&at) ? join(fd, &at) : 0;
	return r < 0 ? r : fd;
}

static int open_sockets(struct checker *c)
{
	for (unsigned i = 0; i < c->options.streams; i++) {
		c->fds[i] = open_socket(&c->options, i);
		if (c->fds[i] < 0)
			return c->fds[i];
	}
	return 0;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* When the kernel took the datagram, on the generator's clock. */
static uint64_t arrival_ns(const struct checker *c, struct msghdr *msg)
{
	struct timespec at;
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(msg);

	if (cmsg == NULL || cmsg->cmsg_level != SOL_SOCKET ||
	    cmsg->cmsg_type != SCM_TIMESTAMPNS)
		return mono_ns();
	memcpy(&at, CMSG_DATA(cmsg), sizeof at);
	return (uint64_t)((int64_t)at.tv_sec * 1000000000 + at.tv_nsec -
			  c->wall_minus_mono_ns);
}

static unsigned receive_batch(struct checker *c, unsigned stream)
{
	size_t skip = c->options.rtp ? RTP_HEADER : 0;

	for (unsigned i = 0; i < BATCH; i++) {
		c->iovs[i] = (struct iovec){ c->data[i], DATAGRAM_MAX };
		c->msgs[i].msg_hdr = (struct msghdr){
			.msg_iov = &c->iovs[i],
			.msg_iovlen = 1,
			.msg_control = &c->controls[i],
			.msg_controllen = sizeof c->controls[i].space,
		};
	}
	int n = recvmmsg(c->fds[stream], c->msgs, BATCH, 0, NULL);
	for (int i = 0; i < n; i++) {
		size_t len = MAX(c->msgs[i].msg_len, skip) - skip;

		check_datagram(&c->streams[stream], &c->totals,
			       c->data[i] + skip, len,
			       arrival_ns(c, &c->msgs[i].msg_hdr));
	}
	return n > 0 ? (unsigned)n : 0;
}

static void look(struct checker *c)
{
	c->wall_minus_mono_ns = (int64_t)clock_ns(CLOCK_REALTIME) -
				(int64_t)clock_ns(CLOCK_MONOTONIC);
	for (unsigned i = 0; i < c->options.streams; i++)
		while (receive_batch(c, i) == BATCH)
			;
}

static double burst_ms(const struct checker *c, uint64_t bytes)
{
	return (double)bytes * 8000 / (double)c->options.rate_bps;
}

static void report_streams(const struct checker *c)
{
	fputs(",\"first\":[", stdout);
	for (unsigned i = 0; i < c->options.streams; i++)
		printf("%s%" PRIu64, i > 0 ? "," : "", c->streams[i].first);
	fputs("],\"next\":[", stdout);
	for (unsigned i = 0; i < c->options.streams; i++)
		printf("%s%" PRIu64, i > 0 ? "," : "", c->streams[i].next);
	fputs("],\"lost_by_stream\":[", stdout);
	for (unsigned i = 0; i < c->options.streams; i++)
		printf("%s%" PRIu64, i > 0 ? "," : "", c->streams[i].lost);
	fputs("]", stdout);
}

static void report(const struct checker *c)
{
	const struct check_totals *t = &c->totals;
	struct check_stream sum = { 0 };
	unsigned silent = 0;

	for (unsigned i = 0; i < c->options.streams; i++) {
		const struct check_stream *s = &c->streams[i];

		silent += !s->started;
		sum.datagrams += s->datagrams;
		sum.packets += s->packets;
		sum.bytes += s->bytes;
		sum.stamped += s->stamped;
		sum.lost += s->lost;
		sum.duplicated += s->duplicated;
		sum.reordered += s->reordered;
		sum.cc_errors += s->cc_errors;
		sum.broken += s->broken;
	}
	printf("{\"at_ns\":%" PRIu64 ",\"streams\":%u,\"silent\":%u"
	       ",\"datagrams\":%" PRIu64 ",\"packets\":%" PRIu64
	       ",\"bytes\":%" PRIu64 ",\"stamped\":%" PRIu64
	       ",\"lost\":%" PRIu64 ",\"duplicated\":%" PRIu64
	       ",\"reordered\":%" PRIu64 ",\"cc_errors\":%" PRIu64
	       ",\"broken\":%" PRIu64,
	       mono_ns(), c->options.streams, silent, sum.datagrams,
	       sum.packets, sum.bytes, sum.stamped, sum.lost, sum.duplicated,
	       sum.reordered, sum.cc_errors, sum.broken);
	printf(",\"latency_us\":{\"p50\":%" PRIu64 ",\"p99\":%" PRIu64
	       ",\"max\":%" PRIu64 "}",
	       histogram_permille(&t->latency_us, 500),
	       histogram_permille(&t->latency_us, 990), t->latency_us.max);
	printf(",\"burst_ms\":{\"p50\":%.2f,\"p99\":%.2f,\"max\":%.2f}",
	       burst_ms(c, histogram_permille(&t->burst_bytes, 500)),
	       burst_ms(c, histogram_permille(&t->burst_bytes, 990)),
	       burst_ms(c, t->burst_bytes.max));
	report_streams(c);
	puts("}");
	(void)fflush(stdout);
}

static void run(struct checker *c)
{
	uint64_t end_ns = c->options.seconds == 0
				  ? UINT64_MAX
				  : mono_ns() + c->options.seconds *
							UINT64_C(1000000000);
	const struct timespec pause = { .tv_nsec = LOOK_EVERY_NS };

	while (!orders_stop() && mono_ns() < end_ns) {
		look(c);
		if (orders_report())
			report(c);
		(void)nanosleep(&pause, NULL);
	}
	look(c);
}

int main(int argc, char **argv)
{
	struct checker *c = xcalloc(1, sizeof *c);

	c->options = parse_options(argc, argv);
	c->fds = xcalloc(c->options.streams, sizeof *c->fds);
	c->streams = xcalloc(c->options.streams, sizeof *c->streams);
	orders_listen();
	int r = open_sockets(c);
	if (r < 0) {
		fprintf(stderr, "tscheck: %s port %u: %s\n",
			c->options.address, c->options.port, strerror(-r));
		return 1;
	}
	puts("ready");
	(void)fflush(stdout);
	run(c);
	report(c);
	free(c->fds);
	free(c->streams);
	free(c);
	return 0;
}
