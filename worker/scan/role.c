/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The role `scan`: reports the tables of one input, or the sessions that SAP
 * announces on the network. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "worker/input/input.h"
#include "worker/scan/sap_task.h"
#include "worker/si/record_feed.h"
#include "worker/core/worker.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

enum {
	TICK_MS = 10,
	READS_MAX = 16, /* reads in a tick */
	/* A few in a second are enough for all tables of a multiplex. */
	RECORDS_PER_S = 1000,
	BYTES_PER_S = 64 * 1024,
};

struct scan {
	struct worker *worker;
	struct input_spec spec;
	struct input *input;     /* NULL: opened next second, or ended */
	bool ended;
	struct batch batch;
	struct record_feed *feed; /* NULL until scan.start */
	struct sap_task *sap;    /* instead of an input; or NULL */
	struct errmsg error;     /* error of the input; "": none */
	ev_timer tick;
	uint64_t second_ns;      /* start of the next second */
	uint64_t packets;
};

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct scan *s = arg;

	record_feed_packets(s->feed, runs, n_runs);
	for (size_t i = 0; i < n_runs; i++)
		s->packets += runs[i].n;
}

static void close_input(struct scan *s, int err, const struct errmsg *error)
{
	/* an input whose helper hangs is not opened again */
	s->ended = err == -ENODATA ||
		   (s->input != NULL && input_hangs(s->input, mono_ns()));
	input_free(&s->input);
	s->error = *error;
}

static void every_second(struct scan *s, uint64_t now_ns)
{
	struct msg m = { .type = MSG_SCAN_STATUS };
	struct errmsg error = { 0 };
	int err = 0;

	s->second_ns = now_ns + SECOND_NS;
	record_feed_second(s->feed);
	if (s->input != NULL) {
		err = input_every_second(s->input, now_ns, &error);
		if (err < 0)
			close_input(s, err, &error);
	}
	if (s->input == NULL && !s->ended) {
		s->input = input_open(&s->spec, now_ns, &err, &error);
		if (s->input == NULL)
			close_input(s, err, &error);
	}
	m.scan_status.packets = s->packets;
	if (s->error.text[0] != '\0')
		m.scan_status.error = s->error.text;
	(void)channel_send(s->worker->channel, &m, NULL, 0);
}

static void on_tick(struct ev_loop *loop, ev_timer *timer, int revents)
{
	struct scan *s = container_of(timer, struct scan, tick);
	uint64_t now_ns = mono_ns();
	struct errmsg error = { 0 };

	(void)loop, (void)revents;
	for (unsigned i = 0; i < READS_MAX && s->input != NULL; i++) {
		int n = input_read(s->input, &s->batch, now_ns, &error);

		if (n < 0)
			close_input(s, n, &error);
		else if (n > 0)
			s->error.text[0] = '\0';
		if (n == 0)
			break;
	}
	if (now_ns >= s->second_ns)
		every_second(s, now_ns);
}

static void *scan_new(struct worker *worker)
{
	struct scan *s = xcalloc(1, sizeof *s);

	s->worker = worker;
	batch_init(&s->batch, on_packets, s);
	ev_timer_init(&s->tick, on_tick, 0., TICK_MS / 1e3);
	return s;
}

static void scan_free(void *role)
{
	struct scan *s = role;

	ev_timer_stop(s->worker->loop, &s->tick);
	input_free(&s->input);
	record_feed_free(&s->feed);
	sap_task_free(&s->sap);
	free(s);
}

static void on_start(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct scan *s = role;
	const char *address = m->scan_start.address;
	struct grants grants = { 0 };
	bool entered;

	(void)fds, (void)n_fds;
	if (s->feed != NULL || s->sap != NULL) {
		log_error("scan", "second scan.start: protocol error, exiting");
		worker_exit(s->worker, EX_PROTOCOL);
		return;
	}
	if (strcmp(address, SCAN_ANNOUNCEMENTS) != 0)
		grants_add_input(&grants, address);
	entered = worker_enter_sandbox(s->worker, &grants);
	grants_done(&grants);
	if (!entered)
		return;
	worker_send_ready(s->worker);
	if (strcmp(address, SCAN_ANNOUNCEMENTS) == 0) {
		s->sap = sap_task_new(s->worker);
		return;
	}
	s->feed = record_feed_new(&(struct record_feed_config){
		.channel = s->worker->channel,
		.records_max = RECORDS_PER_S,
		.bytes_max = BYTES_PER_S,
	});
	s->ended = input_spec_parse(address, &s->spec, NULL, NULL,
				    &s->error) < 0;
	every_second(s, mono_ns());
	ev_timer_start(s->worker->loop, &s->tick);
}

const struct worker_role scan_role = {
	.name = "scan",
	.needs = NEED_THREADS | NEED_TCP | NEED_UDP | NEED_NAMES,
	.enters_late = true,
	.new = scan_new,
	.free = scan_free,
	.messages = { [MSG_SCAN_START] = on_start },
	/* inputs need the capabilities of the role stream */
	.capabilities = UINT64_C(1) << CAP_NET_BIND_SERVICE,
};
