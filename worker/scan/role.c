/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The role `scan`.  Its task is one of these: reports the tables of an input or
 * of an adapter's ring, scans an adapter that is not configured, or lists the
 * sessions that SAP announces, or the SAT>IP servers of the network. */
#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/loop/timer.h"
#include "worker/input/input.h"
#include "worker/core/worker.h"
#include "worker/scan/adapter_task.h"
#include "worker/scan/scan_report.h"
#include "worker/scan/sap_task.h"
#include "worker/scan/satip_task.h"
#include "worker/si/record_feed.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

enum {
	TICK_MS = 10,
	READS_MAX = 16, /* reads of the input in a tick */
};

struct scan {
	struct worker *worker;
	struct input_spec spec;
	/* NULL: not open: opened in the next second, unless `ended' */
	struct input *input;
	bool ended;
	struct batch batch;
	struct scan_report out; /* its feed is NULL unless the task has an
				 * input */
	bool has_ring;           /* the input is the ring of an adapter */
	/* the other kinds of tasks; NULL: the worker does not have this one */
	struct sap_task *sap;
	struct satip_task *satip;
	struct adapter_task *adapter;
	struct errmsg error;     /* error of the input; "": none */
	ev_timer tick;
	uint64_t second_ns;      /* time of the next status */
	uint64_t packets;
	uint64_t packets_ns;     /* time of the first packets; 0: none yet */
};

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct scan *s = arg;

	scan_report_packets(&s->out, runs, n_runs);
	if (s->packets_ns == 0)
		s->packets_ns = mono_ns();
	for (size_t i = 0; i < n_runs; i++)
		s->packets += runs[i].n;
}

static void close_input(struct scan *s, int err, const struct errmsg *error)
{
	/* an input whose helper thread hangs is not opened again */
	s->ended = err == -ENODATA ||
		   (s->input != NULL && input_hangs(s->input, mono_ns()));
	input_free(&s->input);
	s->error = *error;
}

/* Reports the IDs of the multiplex.  Its tuning, and lock and signal, are not
 * part of it, because the master knows them from the adapter. */
static void send_transponder(const struct scan *s, uint64_t now_ns)
{
	json_t *tuning = json_object();
	struct msg m = { .type = MSG_SCAN_TRANSPONDER };

	scan_services_put_ids(s->out.services, tuning);
	m.scan_transponder.number = 1;
	m.scan_transponder.tuning = tuning;
	m.scan_transponder.complete =
		scan_report_is_complete(&s->out, false, s->packets_ns, now_ns);
	(void)channel_send(s->worker->channel, &m, NULL, 0);
	json_decref(tuning);
}

static void every_second(struct scan *s, uint64_t now_ns)
{
	struct msg m = { .type = MSG_SCAN_STATUS };
	struct errmsg error = { 0 };
	int err = 0;

	s->second_ns = now_ns + SECOND_NS;
	record_feed_second(s->out.feed);
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
	if (s->has_ring && channel_is_idle(s->worker->channel))
		send_transponder(s, now_ns);
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
	if (s->has_ring)
		scan_report_send(&s->out, 1, false);
	if (now_ns >= s->second_ns)
		every_second(s, now_ns);
}

static void *scan_new(struct worker *worker)
{
	struct scan *s = xcalloc(1, sizeof *s);

	s->worker = worker;
	batch_init(&s->batch, on_packets, s);
	ev_init(&s->tick, on_tick);
	return s;
}

static void scan_free(void *role)
{
	struct scan *s = role;

	ev_timer_stop(s->worker->loop, &s->tick);
	input_free(&s->input);
	scan_report_done(&s->out);
	sap_task_free(&s->sap);
	satip_task_free(&s->satip);
	adapter_task_free(&s->adapter);
	if (s->has_ring)
		fd_close(&s->spec.ring);
	free(s);
}

/* True if the worker has no task yet.  A second task is a protocol error, and
 * the worker exits. */
static bool is_idle(struct scan *s)
{
	if (s->out.feed == NULL && s->sap == NULL && s->satip == NULL &&
	    s->adapter == NULL)
		return true;
	log_error("scan", "protocol error: second task received: this process "
		  "exits");
	worker_exit(s->worker, EX_PROTOCOL);
	return false;
}

/* Enters the sandbox and reports the worker as ready; false: that failed.
 * address: address of an input; NULL: none.  Only an address may name a port
 * below 1024. */
static bool enter_sandbox(struct scan *s, const char *address)
{
	struct grants grants = { 0 };

	if (address != NULL)
		grants_add_input(&grants, address);
	else if (!worker_drop_capabilities(s->worker))
		return false;
	if (!worker_enter_sandbox(s->worker, &grants))
		return false;
	worker_send_ready(s->worker);
	return true;
}

static void start_input(struct scan *s, const char *address, int ring)
{
	s->out.channel = s->worker->channel;
	scan_report_reset(&s->out);
	s->ended = input_spec_parse(address, &s->spec, NULL, NULL,
				    &s->error) < 0;
	s->has_ring = ring >= 0;
	s->spec.ring = ring;
	every_second(s, mono_ns());
	timer_repeat(s->worker->loop, &s->tick, 0., TICK_MS / 1e3);
}

static void on_start(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct scan *s = role;
	const char *address = m->scan_start.address;
	bool sap = strcmp(address, SCAN_ANNOUNCEMENTS) == 0;
	bool satip = strcmp(address, SCAN_SERVERS) == 0;

	(void)fds, (void)n_fds;
	if (!is_idle(s) || !enter_sandbox(s, sap || satip ? NULL : address))
		return;
	if (sap)
		s->sap = sap_task_new(s->worker);
	else if (satip)
		s->satip = satip_task_new(s->worker);
	else
		start_input(s, address, -1);
}

/* Takes the ring of an adapter: the first one starts the task; a later one is
 * that of a new worker of the adapter. */
static void on_ring(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct scan *s = role;

	(void)n_fds; /* the message catalogue checks that there is one
		      * descriptor */
	s->out.atsc = m->scan_ring.atsc;
	if (s->has_ring) {
		input_free(&s->input);
		fd_close(&s->spec.ring);
		s->spec.ring = fds[0];
		fds[0] = -1;
		s->ended = false;
		return;
	}
	if (!is_idle(s) || !enter_sandbox(s, NULL))
		return;
	start_input(s, m->scan_ring.address, fds[0]);
	fds[0] = -1;
}

static void on_adapter(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct scan *s = role;

	(void)fds, (void)n_fds;
	if (is_idle(s) &&
	    (json_object_get(json_object_get(m->scan_adapter.scan, "adapter"),
			     "address") != NULL ||
	     worker_drop_capabilities(s->worker)))
		s->adapter = adapter_task_new(s->worker, m->scan_adapter.scan,
					      NULL);
}

const struct worker_role scan_role = {
	.name = "scan",
	.needs = NEED_THREADS | NEED_TCP | NEED_UDP | NEED_NAMES,
	.enters_late = true,
	.new = scan_new,
	.free = scan_free,
	.messages = { [MSG_SCAN_START] = on_start,
		      [MSG_SCAN_RING] = on_ring,
		      [MSG_SCAN_ADAPTER] = on_adapter },
	/* an address may name a port below 1024 */
	.capabilities = UINT64_C(1) << CAP_NET_BIND_SERVICE,
};
