/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends constant-bitrate transport streams over UDP, paced by the clock.
 *
 * Every datagram leaves when its time has come, on a grid of one millisecond
 * (or of --burst milliseconds); a late wake-up is made up for and reported.
 */
#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "tests/bench/args.h"
#include "tests/bench/orders.h"
#include "tests/bench/tsmaker.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	PER_DATAGRAM = 7,
	RTP_HEADER = 12,
	RTP_TYPE_MP2T = 33,
	DATAGRAM_MAX = RTP_HEADER + PER_DATAGRAM * TSMAKER_PACKET,
	BATCH = 64,
	START_DELAY_NS = 20000000,
	NS_PER_MS = 1000000,
};

struct options {
	unsigned streams;
	unsigned programs; /* > 1: the streams are one multiplex together */
	uint64_t rate_bps;
	unsigned seconds; /* 0 = until a signal */
	const char *address;
	unsigned port;
	unsigned burst_ms;
	unsigned drop_every; /* a fault planted on purpose; 0 = none */
	bool rtp;
};

struct stream {
	struct tsmaker maker;
	struct sockaddr_any to;
	uint64_t start_ns; /* when time 0 of the maker is due */
	uint64_t datagrams;
	uint16_t rtp_seq;
};

struct generator {
	struct options options;
	int fd;
	struct stream *streams;
	struct mmsghdr msgs[BATCH];
	struct iovec iovs[BATCH];
	uint8_t data[BATCH][DATAGRAM_MAX];
	unsigned n;
	unsigned turn; /* of the programmes of a multiplex */
	uint64_t sent;
	uint64_t failed;
	uint64_t late_max_ns;
};

static const char usage[] =
	"usage: tsgen [--streams N | --programs N] [--rate MBIT] "
	"[--seconds N]\n             [--address IP] [--port FIRST] "
	"[--burst MS] [--rtp] [--drop-every N]\n";

static struct options parse_options(int argc, char **argv)
{
	struct options o = { .streams = 1, .programs = 1, .rate_bps = 8000000,
			     .address = "127.0.0.1", .port = 10000,
			     .burst_ms = 1 };
	const struct arg args[] = {
		{ "--streams", ARG_NUMBER, &o.streams, 1, 10000 },
		{ "--programs", ARG_NUMBER, &o.programs, 1,
		  TSMAKER_PROGRAMS_MAX },
		{ "--rate", ARG_RATE, &o.rate_bps, 0, 0 },
		{ "--seconds", ARG_NUMBER, &o.seconds, 1, 86400 },
		{ "--address", ARG_TEXT, &o.address, 0, 0 },
		{ "--port", ARG_NUMBER, &o.port, 1, 65535 },
		{ "--burst", ARG_NUMBER, &o.burst_ms, 1, 1000 },
		{ "--drop-every", ARG_NUMBER, &o.drop_every, 2, 1000000 },
		{ "--rtp", ARG_FLAG, &o.rtp, 0, 0 },
	};

	args_parse(argc, argv, args, ARRAY_LEN(args), usage);
	if (o.programs > 1 && o.streams > 1)
		args_usage(usage);
	if (o.programs > 1) {
		o.streams = o.programs;
		o.rate_bps /= o.programs;
	}
	return o;
}

static void flush(struct generator *g)
{
	unsigned done = 0;

	while (done < g->n) {
		int sent = sendmmsg(g->fd, g->msgs + done, g->n - done, 0);

		if (sent > 0) {
			done += (unsigned)sent;
			g->sent += (unsigned)sent;
		} else if (errno != EINTR) {
			done++; /* this one cannot be sent */
			g->failed++;
		}
	}
	g->n = 0;
}

static uint8_t *put_rtp_header(struct stream *s, uint8_t *at)
{
	uint32_t time = htonl((uint32_t)(s->maker.time_ns * 9 / 100000));
	uint16_t seq = htons(s->rtp_seq++);

	memset(at, 0, RTP_HEADER);
	at[0] = 0x80;
	at[1] = RTP_TYPE_MP2T;
	memcpy(at + 2, &seq, sizeof seq);
	memcpy(at + 4, &time, sizeof time);
	at[11] = 1; /* SSRC */
	return at + RTP_HEADER;
}

/* The next packet of the stream, or of the multiplex that it begins. */
static void make_packet(struct generator *g, struct stream *s, uint64_t now_ns,
			uint8_t *packet)
{
	if (g->options.programs > 1)
		s = &g->streams[g->turn++ % g->options.programs];
	tsmaker_next(&s->maker, now_ns, packet);
}

static void add_datagram(struct generator *g, struct stream *s)
{
	uint64_t now_ns = mono_ns();
	uint8_t *data = g->data[g->n];
	uint8_t *at = g->options.rtp ? put_rtp_header(s, data) : data;
	unsigned drop = g->options.drop_every;

	for (unsigned i = 0; i < PER_DATAGRAM; i++, at += TSMAKER_PACKET)
		make_packet(g, s, now_ns, at);
	if (drop != 0 && ++s->datagrams % drop == 0)
		return;
	g->iovs[g->n] = (struct iovec){ data, (size_t)(at - data) };
	g->msgs[g->n].msg_hdr = (struct msghdr){
		.msg_name = &s->to.sa,
		.msg_namelen = s->to.len,
		.msg_iov = &g->iovs[g->n],
		.msg_iovlen = 1,
	};
	if (++g->n == BATCH)
		flush(g);
}

static void send_due(struct generator *g, uint64_t now_ns)
{
	unsigned n = g->options.programs > 1 ? 1 : g->options.streams;

	for (unsigned i = 0; i < n; i++) {
		struct stream *s = &g->streams[i];

		while (s->start_ns + s->maker.time_ns <= now_ns)
			add_datagram(g, s);
	}
	flush(g);
}

static void sleep_until(uint64_t at_ns)
{
	const struct timespec at = {
		.tv_sec = (time_t)(at_ns / 1000000000),
		.tv_nsec = (long)(at_ns % 1000000000),
	};

	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static void run(struct generator *g, uint64_t start_ns)
{
	uint64_t step_ns = (uint64_t)g->options.burst_ms * NS_PER_MS;
	uint64_t end_ns = g->options.seconds == 0
				  ? UINT64_MAX
				  : start_ns + g->options.seconds *
						       UINT64_C(1000000000);
	uint64_t tick_ns = start_ns;

	while (!orders_stop() && tick_ns < end_ns) {
		sleep_until(tick_ns);
		uint64_t now_ns = mono_ns();
		if (now_ns > tick_ns)
			g->late_max_ns = MAX(g->late_max_ns,
					     now_ns - tick_ns);
		send_due(g, MIN(now_ns, end_ns));
		while (tick_ns <= now_ns)
			tick_ns += step_ns;
	}
}

/* The streams are spread over one datagram's time, as real ones would be. */
static int open_streams(struct generator *g, uint64_t start_ns)
{
	const struct options *o = &g->options;
	uint64_t datagram_ns = UINT64_C(8000000000) * PER_DATAGRAM *
			       TSMAKER_PACKET / o->rate_bps;

	g->streams = xcalloc(o->streams, sizeof *g->streams);
	for (unsigned i = 0; i < o->streams; i++) {
		struct stream *s = &g->streams[i];

		if (o->port + i > UINT16_MAX ||
		    sockaddr_parse(o->address, (uint16_t)(o->port + i),
				   &s->to) < 0)
			return -EINVAL;
		tsmaker_init_program(&s->maker, o->rate_bps,
				     o->programs > 1 ? i + 1 : 1, o->programs);
		s->start_ns = start_ns + datagram_ns * i / o->streams;
	}
	g->fd = socket(g->streams[0].to.sa.sa_family,
		       SOCK_DGRAM | SOCK_CLOEXEC, 0);
	return g->fd < 0 ? -errno : 0;
}

static void report(const struct generator *g)
{
	uint64_t stamped = 0;

	for (unsigned i = 0; i < g->options.streams; i++)
		stamped += g->streams[i].maker.seq;
	printf("{\"streams\":%u,\"datagrams\":%" PRIu64 ",\"stamped\":%" PRIu64
	       ",\"failed\":%" PRIu64 ",\"late_max_us\":%" PRIu64
	       ",\"next\":[",
	       g->options.streams, g->sent, stamped, g->failed,
	       g->late_max_ns / 1000);
	for (unsigned i = 0; i < g->options.streams; i++)
		printf("%s%" PRIu64, i > 0 ? "," : "",
		       g->streams[i].maker.seq);
	puts("]}");
}

int main(int argc, char **argv)
{
	struct generator *g = xcalloc(1, sizeof *g);
	uint64_t start_ns = mono_ns() + START_DELAY_NS;

	g->options = parse_options(argc, argv);
	int r = open_streams(g, start_ns);
	if (r < 0) {
		fprintf(stderr, "tsgen: %s port %u: %s\n", g->options.address,
			g->options.port, strerror(-r));
		return 1;
	}
	orders_listen();
	run(g, start_ns);
	report(g);
	free(g->streams);
	free(g);
	return 0;
}
