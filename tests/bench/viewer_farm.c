/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many HTTP viewers in one process: connects them a few at a time, reads them
 * on a timer and checks every packet of every viewer.  Prints "ready" when all
 * have their first packet, a line of JSON at each SIGUSR1 and at the end.
 */
#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/base/util.h"
#include "tests/bench/args.h"
#include "tests/bench/descriptors.h"
#include "tests/bench/farm_viewer.h"
#include "tests/bench/orders.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	LOOK_EVERY_NS = 20000000,
	JOIN_EACH_LOOK = 20,
	SCRATCH = 256 << 10,
};

struct options {
	unsigned viewers;
	unsigned seconds; /* 0 = until a signal */
	const char *address;
	unsigned port;
	const char *path;
};

struct farm {
	struct options options;
	struct sockaddr_any to;
	struct farm_viewer *viewers;
	unsigned joined; /* of them, from the first */
	bool ready;
	struct check_totals totals;
	uint8_t scratch[SCRATCH];
};

static const char usage[] =
	"usage: viewer_farm [--viewers N] [--seconds N] [--address IP] "
	"[--port PORT]\n                   [--path PATH]\n";

static struct options parse_options(int argc, char **argv)
{
	struct options o = { .viewers = 1, .address = "127.0.0.1",
			     .port = 8100, .path = "/" };
	const struct arg args[] = {
		{ "--viewers", ARG_NUMBER, &o.viewers, 1, 20000 },
		{ "--seconds", ARG_NUMBER, &o.seconds, 1, 86400 },
		{ "--address", ARG_TEXT, &o.address, 0, 0 },
		{ "--port", ARG_NUMBER, &o.port, 1, 65535 },
		{ "--path", ARG_TEXT, &o.path, 0, 0 },
	};

	args_parse(argc, argv, args, ARRAY_LEN(args), usage);
	return o;
}

static int join_some(struct farm *f, uint64_t now_ns)
{
	for (unsigned i = 0; i < JOIN_EACH_LOOK; i++) {
		if (f->joined == f->options.viewers)
			return 0;
		int r = farm_viewer_open(&f->viewers[f->joined], &f->to,
					 now_ns);
		if (r < 0)
			return r;
		f->joined++;
	}
	return 0;
}

struct counts {
	unsigned states[FARM_CLOSED + 1];
	unsigned first; /* viewers that have had a packet */
	unsigned pat_first;
	uint64_t bytes_min;
	uint64_t bytes_max;
	struct histogram join_ms;
	struct check_stream sum;
};

static void count(const struct farm *f, struct counts *c)
{
	memset(c, 0, sizeof *c);
	c->bytes_min = UINT64_MAX;
	for (unsigned i = 0; i < f->joined; i++) {
		const struct farm_viewer *v = &f->viewers[i];

		c->states[v->state]++;
		c->bytes_min = MIN(c->bytes_min, v->check.bytes);
		c->bytes_max = MAX(c->bytes_max, v->check.bytes);
		c->sum.bytes += v->check.bytes;
		c->sum.packets += v->check.packets;
		c->sum.lost += v->check.lost;
		c->sum.duplicated += v->check.duplicated;
		c->sum.reordered += v->check.reordered;
		c->sum.cc_errors += v->check.cc_errors;
		c->sum.broken += v->check.broken;
		if (v->first_ns == 0)
			continue;
		c->first++;
		c->pat_first += v->pat_first;
		histogram_add(&c->join_ms,
			      (v->first_ns - v->asked_ns) / 1000000);
	}
}

static void report(const struct farm *f)
{
	static struct counts c;
	const struct histogram *late = &f->totals.latency_us;

	count(f, &c);
	printf("{\"at_ns\":%" PRIu64 ",\"viewers\":%u,\"watching\":%u"
	       ",\"started\":%u,\"pat_first\":%u,\"refused\":%u"
	       ",\"closed\":%u",
	       mono_ns(), f->options.viewers, c.states[FARM_BODY], c.first,
	       c.pat_first, c.states[FARM_REFUSED], c.states[FARM_CLOSED]);
	printf(",\"bytes\":%" PRIu64 ",\"bytes_min\":%" PRIu64
	       ",\"bytes_max\":%" PRIu64 ",\"packets\":%" PRIu64
	       ",\"lost\":%" PRIu64 ",\"duplicated\":%" PRIu64
	       ",\"reordered\":%" PRIu64 ",\"cc_errors\":%" PRIu64
	       ",\"broken\":%" PRIu64,
	       c.sum.bytes, c.bytes_min, c.bytes_max, c.sum.packets,
	       c.sum.lost, c.sum.duplicated, c.sum.reordered, c.sum.cc_errors,
	       c.sum.broken);
	printf(",\"join_ms\":{\"p50\":%" PRIu64 ",\"p99\":%" PRIu64
	       ",\"max\":%" PRIu64 "}",
	       histogram_permille(&c.join_ms, 500),
	       histogram_permille(&c.join_ms, 990), c.join_ms.max);
	printf(",\"latency_us\":{\"p50\":%" PRIu64 ",\"p99\":%" PRIu64
	       ",\"max\":%" PRIu64 "}}\n",
	       histogram_permille(late, 500), histogram_permille(late, 990),
	       late->max);
	(void)fflush(stdout);
}

static bool all_started(const struct farm *f)
{
	if (f->joined < f->options.viewers)
		return false;
	for (unsigned i = 0; i < f->joined; i++)
		if (f->viewers[i].first_ns == 0)
			return false;
	return true;
}

static void look(struct farm *f)
{
	for (unsigned i = 0; i < f->joined; i++)
		farm_viewer_read(&f->viewers[i], f->options.path, &f->totals,
				 f->scratch, sizeof f->scratch, mono_ns());
	if (!f->ready && all_started(f)) {
		f->ready = true;
		/* their first packets are older than the present */
		memset(&f->totals, 0, sizeof f->totals);
		puts("ready");
		(void)fflush(stdout);
	}
	if (orders_report())
		report(f);
}

static int run(struct farm *f)
{
	uint64_t end_ns = f->options.seconds == 0
				  ? UINT64_MAX
				  : mono_ns() + f->options.seconds *
							UINT64_C(1000000000);
	const struct timespec pause = { .tv_nsec = LOOK_EVERY_NS };

	while (!orders_stop() && mono_ns() < end_ns) {
		int r = join_some(f, mono_ns());

		if (r < 0)
			return r;
		look(f);
		(void)nanosleep(&pause, NULL);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct farm *f = xcalloc(1, sizeof *f);

	f->options = parse_options(argc, argv);
	f->viewers = xcalloc(f->options.viewers, sizeof *f->viewers);
	descriptors_allow();
	orders_listen();
	int r = sockaddr_parse(f->options.address,
			       (uint16_t)f->options.port, &f->to);
	if (r == 0)
		r = run(f);
	if (r < 0) {
		fprintf(stderr, "viewer_farm: %s port %u: %s\n",
			f->options.address, f->options.port, strerror(-r));
		return 1;
	}
	report(f);
	for (unsigned i = 0; i < f->joined; i++)
		farm_viewer_close(&f->viewers[i]);
	free(f->viewers);
	free(f);
	return 0;
}
