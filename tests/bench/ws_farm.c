/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many clients of the event channel in one process, each of which checks that
 * it misses no message; and some that are stuck: they shake hands and never
 * read again.  Prints "ready" when all are open, a line of JSON at each SIGUSR1
 * and at the end.
 */
#include "common/base/alloc.h"
#include "common/base/util.h"
#include "tests/bench/args.h"
#include "tests/bench/descriptors.h"
#include "tests/bench/orders.h"
#include "tests/bench/ws_client.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

enum { EVENTS_MAX = 64, STUCK_RCVBUF = 4096, CLIENTS_MAX = 20000 };

struct options {
	unsigned clients;
	unsigned stuck; /* beside them */
	unsigned port;
	const char *path;
};

struct farm {
	struct options options;
	int poll;
	unsigned n; /* all clients, the stuck ones last */
	struct ws_client *clients;
	bool ready;
	struct ws_totals totals;
};

static const char usage[] =
	"usage: ws_farm [--clients N] [--stuck N] [--port PORT] "
	"[--path PATH]\n";

static struct options parse_options(int argc, char **argv)
{
	struct options o = { .clients = 1, .port = 8000,
			     .path = "/control/event/?token=x" };
	const struct arg args[] = {
		{ "--clients", ARG_NUMBER, &o.clients, 1, CLIENTS_MAX },
		{ "--stuck", ARG_NUMBER, &o.stuck, 0, CLIENTS_MAX },
		{ "--port", ARG_NUMBER, &o.port, 1, 65535 },
		{ "--path", ARG_TEXT, &o.path, 0, 0 },
	};

	args_parse(argc, argv, args, ARRAY_LEN(args), usage);
	return o;
}

static void report(const struct farm *f)
{
	const struct histogram *delay = &f->totals.delay_us;
	unsigned open = 0;
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < MIN(f->n, f->options.clients); i++) {
		open += f->clients[i].fd >= 0;
		least = MIN(least, f->clients[i].next);
	}
	printf("{\"clients\":%u,\"open\":%u,\"least\":%" PRIu64
	       ",\"messages\":%" PRIu64 ",\"others\":%" PRIu64
	       ",\"out_of_order\":%" PRIu64,
	       f->options.clients, open, least, f->totals.messages,
	       f->totals.others, f->totals.out_of_order);
	printf(",\"delay_us\":{\"p50\":%" PRIu64 ",\"p99\":%" PRIu64
	       ",\"max\":%" PRIu64 "}}\n",
	       histogram_permille(delay, 500), histogram_permille(delay, 990),
	       delay->max);
	(void)fflush(stdout);
}

static bool is_stuck(const struct farm *f, const struct ws_client *c)
{
	return c - f->clients >= (ptrdiff_t)f->options.clients;
}

static int open_one(struct farm *f, const struct sockaddr_any *to)
{
	struct ws_client *c = &f->clients[f->n];
	bool stuck = is_stuck(f, c);
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = c };
	int r = ws_client_open(c, to, f->options.path,
			       stuck ? STUCK_RCVBUF : 0);

	if (r < 0)
		return r;
	f->n++;
	return epoll_ctl(f->poll, EPOLL_CTL_ADD, c->fd, &e) < 0 ? -errno : 0;
}

/* A stuck client is read until it is open. */
static void hear(struct farm *f, struct ws_client *c)
{
	if (c->fd < 0)
		return;
	ws_client_read(c, &f->totals);
	if (c->fd >= 0 && c->open && is_stuck(f, c))
		(void)epoll_ctl(f->poll, EPOLL_CTL_DEL, c->fd, NULL);
}

static void look_who_is_open(struct farm *f)
{
	for (unsigned i = 0; i < f->n; i++)
		if (!f->clients[i].open)
			return;
	f->ready = true;
	puts("ready");
	(void)fflush(stdout);
}

static int run(struct farm *f, const struct sockaddr_any *to)
{
	struct epoll_event events[EVENTS_MAX];
	unsigned all = f->options.clients + f->options.stuck;

	while (!orders_stop()) {
		int n = epoll_wait(f->poll, events, EVENTS_MAX,
				   f->n < all ? 0 : 1000);

		for (int i = 0; i < n; i++)
			hear(f, events[i].data.ptr);
		if (f->n < all) {
			int r = open_one(f, to);

			if (r < 0)
				return r;
		} else if (!f->ready) {
			look_who_is_open(f);
		}
		if (orders_report())
			report(f);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct farm *f = xcalloc(1, sizeof *f);
	struct sockaddr_any to;

	f->options = parse_options(argc, argv);
	f->clients = xcalloc(f->options.clients + f->options.stuck,
			     sizeof *f->clients);
	descriptors_allow();
	orders_listen();
	f->poll = epoll_create1(EPOLL_CLOEXEC);
	int r = sockaddr_parse("127.0.0.1", (uint16_t)f->options.port, &to);
	if (r == 0)
		r = run(f, &to);
	if (r < 0) {
		fprintf(stderr, "ws_farm: port %u: %s\n", f->options.port,
			strerror(-r));
		return 1;
	}
	report(f);
	for (unsigned i = 0; i < f->n; i++)
		ws_client_close(&f->clients[i]);
	free(f->clients);
	free(f);
	return 0;
}
