/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many clients of a live playlist of HLS in one process.  Prints "ready" when
 * each has had a playlist, a line of JSON at each SIGUSR1 and at the end.
 */
#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/base/util.h"
#include "tests/bench/args.h"
#include "tests/bench/descriptors.h"
#include "tests/bench/hls_client.h"
#include "tests/bench/orders.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

enum { EVENTS_MAX = 64, LOOK_MS = 10, SCRATCH = 256 << 10 };

struct options {
	unsigned clients;
	unsigned port;
	const char *path;
};

struct farm {
	struct options options;
	struct hls_place place;
	struct hls_client *clients;
	struct hls_totals totals;
	bool ready;
	uint8_t scratch[SCRATCH];
};

static const char usage[] =
	"usage: hls_farm [--clients N] [--port PORT] [--path PATH]\n";

static struct options parse_options(int argc, char **argv)
{
	struct options o = { .clients = 1, .port = 8100, .path = "/a.m3u8" };
	const struct arg args[] = {
		{ "--clients", ARG_NUMBER, &o.clients, 1, 20000 },
		{ "--port", ARG_NUMBER, &o.port, 1, 65535 },
		{ "--path", ARG_TEXT, &o.path, 0, 0 },
	};

	args_parse(argc, argv, args, ARRAY_LEN(args), usage);
	if (o.path[0] != '/')
		args_usage(usage);
	return o;
}

static void print_times(const char *name, const struct histogram *h)
{
	printf(",\"%s\":{\"p50\":%" PRIu64 ",\"p99\":%" PRIu64
	       ",\"max\":%" PRIu64 "}", name, histogram_permille(h, 500),
	       histogram_permille(h, 990), h->max);
}

static void report(const struct farm *f)
{
	const struct hls_totals *t = &f->totals;

	printf("{\"at_ns\":%" PRIu64 ",\"clients\":%u,\"playlists\":%" PRIu64
	       ",\"segments\":%" PRIu64 ",\"bytes\":%" PRIu64
	       ",\"missed\":%" PRIu64 ",\"failed\":%" PRIu64, mono_ns(),
	       f->options.clients, t->playlists, t->segments, t->bytes,
	       t->missed, t->failed);
	print_times("playlist_us", &t->playlist_us);
	print_times("segment_us", &t->segment_us);
	printf("}\n");
	(void)fflush(stdout);
}

/* All have a segment, so that what they miss from now on is missed. */
static bool all_begun(const struct farm *f)
{
	for (unsigned i = 0; i < f->options.clients; i++)
		if (f->clients[i].next == 0)
			return false;
	return true;
}

static void look(struct farm *f)
{
	uint64_t now_ms = mono_ms();

	for (unsigned i = 0; i < f->options.clients; i++)
		hls_client_turn(&f->clients[i], now_ms);
	if (!f->ready && all_begun(f)) {
		f->ready = true;
		puts("ready");
		(void)fflush(stdout);
	}
	if (orders_report())
		report(f);
}

static void run(struct farm *f)
{
	struct epoll_event events[EVENTS_MAX];
	uint64_t looked_ms = 0;

	while (!orders_stop()) {
		int n = epoll_wait(f->place.poll, events, EVENTS_MAX, LOOK_MS);

		for (int i = 0; i < n; i++)
			hls_client_ready(events[i].data.ptr, f->scratch,
					 sizeof f->scratch);
		if (mono_ms() - looked_ms < LOOK_MS)
			continue;
		looked_ms = mono_ms();
		look(f);
	}
}

int main(int argc, char **argv)
{
	struct farm *f = xcalloc(1, sizeof *f);
	uint64_t now_ms = mono_ms();
	int r;

	f->options = parse_options(argc, argv);
	f->clients = xcalloc(f->options.clients, sizeof *f->clients);
	f->place = (struct hls_place){ .poll = epoll_create1(EPOLL_CLOEXEC),
				       .path = f->options.path,
				       .totals = &f->totals };
	descriptors_allow();
	orders_listen();
	r = f->place.poll < 0 ? -errno
		: sockaddr_parse("127.0.0.1", (uint16_t)f->options.port,
				 &f->place.to);
	if (r < 0) {
		fprintf(stderr, "hls_farm: %s\n", strerror(-r));
		return 1;
	}
	/* they begin within a turn */
	for (unsigned i = 0; i < f->options.clients; i++)
		hls_client_init(&f->clients[i], &f->place, i + 1, now_ms +
				i * (uint64_t)HLS_CLIENT_TURN_MS /
				f->options.clients);
	run(f);
	report(f);
	for (unsigned i = 0; i < f->options.clients; i++)
		hls_client_done(&f->clients[i]);
	free(f->clients);
	free(f);
	return 0;
}
