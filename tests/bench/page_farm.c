/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pages that open at once, in one process.  Prints a line of JSON when all are
 * open, and keeps their event channels until it is told to stop.
 */
#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/base/util.h"
#include "tests/bench/args.h"
#include "tests/bench/descriptors.h"
#include "tests/bench/orders.h"
#include "tests/bench/page_client.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

enum {
	EVENTS_MAX = 64,
	LOOK_MS = 100,
	SCRATCH = 256 << 10,
	PAGES_MAX = 1000,
	LOGINS_MAX = 64,
};

struct options {
	unsigned pages;
	unsigned port;
	unsigned server; /* its process */
	const char *sessions; /* with commas between them */
};

struct farm {
	struct options options;
	struct page_place place;
	struct page_client *pages;
	char *sessions[LOGINS_MAX];
	unsigned n_sessions;
	bool told;
	uint8_t scratch[SCRATCH];
};

static const char usage[] =
	"usage: page_farm --sessions ID[,ID ...] --server PID [--pages N] "
	"[--port PORT]\n";

static struct options parse_options(int argc, char **argv)
{
	struct options o = { .pages = 1, .port = 8000, .sessions = "" };
	const struct arg args[] = {
		{ "--pages", ARG_NUMBER, &o.pages, 1, PAGES_MAX },
		{ "--port", ARG_NUMBER, &o.port, 1, 65535 },
		{ "--server", ARG_NUMBER, &o.server, 1, INT32_MAX },
		{ "--sessions", ARG_TEXT, &o.sessions, 0, 0 },
	};

	args_parse(argc, argv, args, ARRAY_LEN(args), usage);
	return o;
}

/* The times of all pages by what they asked for. */
static void print_times(const struct farm *f, const char *key, bool cpu)
{
	static const char *const names[] = {
		[ASK_WHOAMI] = "whoami", [ASK_TOKEN] = "ws-token",
		[ASK_EVENTS] = "events", [ASK_OVERVIEW] = "overview",
		[ASK_LOAD] = "load", [ASK_FORMS] = "forms",
	};

	printf(",\"%s\":{", key);
	for (enum page_ask ask = ASK_WHOAMI; ask < ASK_KINDS; ask++) {
		printf("%s\"%s\":[", ask > ASK_WHOAMI ? "," : "",
		       names[ask]);
		for (unsigned i = 0; i < f->options.pages; i++)
			printf("%s%" PRIu64, i > 0 ? "," : "",
			       cpu ? f->pages[i].cpu_us[ask]
				   : f->pages[i].us[ask]);
		printf("]");
	}
	printf("}");
}

static void report(const struct farm *f, uint64_t begin_ms)
{
	const struct histogram *h = &f->place.files_us;
	unsigned open = 0;

	for (unsigned i = 0; i < f->options.pages; i++)
		open += page_client_is_open(&f->pages[i]);
	printf("{\"pages\":%u,\"open\":%u,\"ms\":%" PRIu64 ",\"bytes\":%" PRIu64
	       ",\"files\":%" PRIu64 ",\"files_us\":{\"p50\":%" PRIu64
	       ",\"p99\":%" PRIu64 ",\"max\":%" PRIu64 "}",
	       f->options.pages, open, mono_ms() - begin_ms, f->place.bytes,
	       h->n, histogram_permille(h, 500), histogram_permille(h, 990),
	       h->max);
	print_times(f, "api_us", false);
	print_times(f, "api_cpu_us", true);
	printf("}\n");
	(void)fflush(stdout);
}

static bool all_ended(const struct farm *f)
{
	for (unsigned i = 0; i < f->options.pages; i++)
		if (f->pages[i].step != ASK_KINDS && !f->pages[i].failed)
			return false;
	return true;
}

static void run(struct farm *f)
{
	struct epoll_event events[EVENTS_MAX];
	uint64_t begin_ms = mono_ms();

	for (unsigned i = 0; i < f->options.pages; i++)
		page_client_start(&f->pages[i], &f->place, i + 1,
				  f->sessions[i % f->n_sessions]);
	while (!orders_stop()) {
		int n = epoll_wait(f->place.poll, events, EVENTS_MAX, LOOK_MS);

		for (int i = 0; i < n; i++)
			page_conn_ready(events[i].data.ptr, f->scratch,
					sizeof f->scratch);
		if (!f->told && all_ended(f)) {
			f->told = true;
			report(f, begin_ms);
		}
	}
}

static void split_sessions(struct farm *f, char *list)
{
	char *rest = NULL;

	for (char *id = strtok_r(list, ",", &rest);
	     id != NULL && f->n_sessions < LOGINS_MAX;
	     id = strtok_r(NULL, ",", &rest))
		f->sessions[f->n_sessions++] = id;
	if (f->n_sessions == 0)
		args_usage(usage);
}

int main(int argc, char **argv)
{
	struct farm *f = xcalloc(1, sizeof *f);
	char *list;
	int r;

	f->options = parse_options(argc, argv);
	list = xstrdup(f->options.sessions);
	split_sessions(f, list);
	f->pages = xcalloc(f->options.pages, sizeof *f->pages);
	f->place.poll = epoll_create1(EPOLL_CLOEXEC);
	descriptors_allow();
	orders_listen();
	/* the times are those of the server, if this is allowed */
	(void)sched_setscheduler(0, SCHED_FIFO,
				 &(struct sched_param){ .sched_priority = 1 });
	r = clock_getcpuclockid((pid_t)f->options.server, &f->place.server);
	if (r != 0)
		args_usage(usage);
	r = f->place.poll < 0 ? -errno
		: sockaddr_parse("127.0.0.1", (uint16_t)f->options.port,
				 &f->place.to);
	if (r < 0) {
		fprintf(stderr, "page_farm: %s\n", strerror(-r));
		return 1;
	}
	run(f);
	for (unsigned i = 0; i < f->options.pages; i++)
		page_client_done(&f->pages[i]);
	free(f->pages);
	free(list);
	free(f);
	return 0;
}
