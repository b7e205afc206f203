/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/adapter_task.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/loop/timer.h"
#include "proto/spec/tuner_spec.h"
#include "worker/adapter/adapter_grants.h"
#include "worker/adapter/dvb/dvb_sec.h"
#include "worker/core/worker.h"
#include "worker/input/input_type.h"
#include "worker/scan/scan_report.h"
#include "worker/scan/tuning_list.h"
#include "worker/si/record_feed.h"

#include <stdlib.h>
#include <sysexits.h>

enum {
	TICK_MS = 10,
	READS_MAX = 16,       /* reads of the source in a tick */
	CHECK_MS = 250,
	/* A SAT>IP server may send packets of the previous tuning for so
	 * long. */
	SETTLE_MS = 1500,
	OPEN_MS = 15000,      /* limit for opening a device */
	TUNE_MS = 5000,       /* limit for a driver to accept a tuning */
	/* limit for the lock; ends before the watchdog of a tuner tunes
	 * again */
	LOCK_MS = 4500,
	BLIND_LOCK_MS = 2000,
	/* Limit for the tables.  EN 300 468 requires a NIT every 10 s. */
	TABLES_MS = 12000,
	/* A driver has its signal statistics within a second after the lock. */
	SIGNAL_MS = 1200,
};

struct adapter_task {
	struct worker *worker;
	json_t *scan;
	struct scan_spec spec;
	struct tuning_list *tunings;
	json_t *adapter; /* configuration with the current tuning */
	struct source *source; /* NULL: the scan has ended */
	struct source_report report;
	struct batch batch;
	struct scan_report out;
	ev_timer tick;
	unsigned moves_ms;   /* milliseconds in which the dish may move after
			      * this tuning */
	uint32_t number;     /* number of the last transponder; 0: none was
			      * found yet */
	bool counted;        /* `number' is that of the current tuning */
	bool receives;       /* packets that arrive are those of the current
			      * tuning */
	unsigned tunes;      /* report.tunes before the current tuning */
	/* times of the current tuning: requested, accepted, locked; 0: not
	 * yet */
	uint64_t asked_ns, tuned_ns, lock_ns;
	/* times of the next report, the next call of source.every_second, and
	 * the next status */
	uint64_t check_ns, watch_ns, second_ns;
	/* packets in this second, and packets of all seconds before */
	uint64_t packets, all_packets;
	uint32_t bitrate_kbps;
	struct errmsg error; /* why the scan ended; "": no error */
};

static bool is_server(const struct adapter_task *t)
{
	return json_object_get(t->adapter, "server") != NULL;
}

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct adapter_task *t = arg;

	if (!t->receives)
		return;
	scan_report_packets(&t->out, runs, n_runs);
	for (size_t i = 0; i < n_runs; i++)
		t->packets += runs[i].n;
}

static void on_record(const json_t *record, void *arg)
{
	struct adapter_task *t = arg;

	tuning_list_add(t->tunings, record);
}

/* --- messages --- */

static bool is_complete(const struct adapter_task *t)
{
	return scan_report_is_complete(&t->out, t->spec.search == SCAN_NETWORK,
				       t->lock_ns, mono_ns());
}

static void send_transponder(struct adapter_task *t)
{
	json_t *tuning = tuning_list_current(t->tunings);
	struct msg m = { .type = MSG_SCAN_TRANSPONDER };

	scan_services_put_ids(t->out.services, tuning);
	m.scan_transponder = (struct msg_scan_transponder){
		.number = t->number,
		.tuning = tuning,
		.complete = is_complete(t),
		.status = source_report_message(&t->report),
	};
	m.scan_transponder.status.bitrate_kbps = t->bitrate_kbps;
	m.scan_transponder.status.on_air = t->bitrate_kbps > 0;
	(void)channel_send(t->worker->channel, &m, NULL, 0);
	json_decref(tuning);
}

static void send_status(const struct adapter_task *t)
{
	struct msg m = { .type = MSG_SCAN_STATUS };
	/* in a network or blind scan, a tuning without lock is no error */
	bool counts = t->spec.search == SCAN_TRANSPONDER || t->tuned_ns == 0;

	m.scan_status = (struct msg_scan_status){
		.packets = t->all_packets,
		.done = (uint32_t)tuning_list_done(t->tunings),
		.total = (uint32_t)tuning_list_total(t->tunings),
		.ended = t->source == NULL,
		.error = t->error.text[0] != '\0' ? t->error.text
			 : counts		   ? t->report.error
						   : NULL,
	};
	/* the current tuning does not count as done */
	if (t->source != NULL)
		m.scan_status.done -= m.scan_status.done > 0;
	(void)channel_send(t->worker->channel, &m, NULL, 0);
}

/* --- tunings --- */

static void end_search(struct adapter_task *t, const char *error)
{
	if (error != NULL)
		errmsg_set(&t->error, "%s", error);
	t->report = (struct source_report){ 0 };
	t->receives = false;
	t->source->ops->free(t->source);
	t->source = NULL;
	send_status(t);
}

static void begin(struct adapter_task *t, uint64_t now_ns)
{
	struct tuner_spec spec;

	t->receives = t->counted = false;
	t->tunes = t->report.tunes;
	t->asked_ns = now_ns;
	t->tuned_ns = t->lock_ns = 0;
	t->packets = 0;
	t->bitrate_kbps = 0;
	t->moves_ms = tuner_spec_is(t->adapter) &&
				      tuner_spec_parse(t->adapter, &spec,
						       NULL) == 0
			      ? dvb_sec_moves_ms(&spec) : 0;
	scan_report_reset(&t->out);
	if (t->spec.search == SCAN_BLIND)
		return;
	t->number++;
	t->counted = true;
}

/* Why a network scan has found one transponder only.  NULL: it is another
 * search, the tuning had no lock, there are several tunings, or a NIT was
 * received. */
static const char *lone_error(const struct adapter_task *t)
{
	if (t->spec.search != SCAN_NETWORK || t->lock_ns == 0 ||
	    tuning_list_total(t->tunings) > 1 ||
	    !scan_services_lacks_nit(t->out.services, false))
		return NULL;
	return t->out.atsc
		       ? "no NIT was received, and ATSC has none: the search "
			 "\"blind\" finds other transponders"
		       : "no NIT was received: other transponders of the "
			 "network are unknown";
}

/* Ends a tuning and begins the next one; false: it was the last one. */
static bool tune_next(struct adapter_task *t, uint64_t now_ns)
{
	json_t *adapter, *before = t->adapter;

	if (t->counted) {
		scan_report_send(&t->out, t->number, true);
		send_transponder(t);
	}
	for (;;) {
		adapter = tuning_list_next(t->tunings);
		if (adapter == NULL)
			return false;
		if (source_retune(t->source, adapter))
			break;
		/* a NIT may name a tuning that no receiver can tune */
		json_decref(adapter);
	}
	/* the source borrowed `before' until this retune */
	t->adapter = adapter;
	json_decref(before);
	begin(t, now_ns);
	return true;
}

/* Has this tuning ended: were its tables received, or has a time limit
 * passed? */
static bool is_over(const struct adapter_task *t, uint64_t now_ns)
{
	unsigned lock_ms = t->spec.search == SCAN_BLIND && !is_server(t)
				   ? BLIND_LOCK_MS : LOCK_MS;

	if (t->tuned_ns == 0)
		return now_ns - t->asked_ns >=
		       (t->report.dvb.taken ? TUNE_MS : OPEN_MS) * MS;
	if (t->lock_ns == 0)
		return now_ns - t->tuned_ns >= (lock_ms + t->moves_ms) * MS;
	return now_ns - t->lock_ns >= TABLES_MS * MS ||
	       (now_ns - t->lock_ns >= SIGNAL_MS * MS &&
		is_complete(t));
}

static void check(struct adapter_task *t, uint64_t now_ns)
{
	bool looks = source_looks(t->source), tuned;

	/* between two calls of every_second, which counts the watchdog's
	 * seconds, source_look() finds a lock sooner */
	t->check_ns = now_ns + (looks ? CHECK_MS : 1000) * MS;
	t->report = (struct source_report){ 0 };
	if (looks && now_ns < t->watch_ns) {
		source_look(t->source, &t->report);
	} else {
		t->watch_ns = now_ns + SECOND_NS;
		t->source->ops->every_second(t->source, now_ns, &t->report);
	}
	tuned = is_server(t) ? now_ns - t->asked_ns >= SETTLE_MS * MS
			     : !tuner_spec_is(t->adapter) ||
				       t->report.tunes != t->tunes;
	if (t->tuned_ns == 0 && tuned) {
		t->tuned_ns = now_ns;
		t->receives = true;
	}
	if (t->tuned_ns != 0 && t->report.lock && t->lock_ns == 0) {
		t->lock_ns = now_ns;
		if (!t->counted)
			t->number++;
		t->counted = true;
		tuning_list_found(t->tunings);
	}
	if (t->spec.search == SCAN_TRANSPONDER || !is_over(t, now_ns))
		return;
	/* a device that cannot be opened would fail for the other tunings,
	 * too */
	if (t->tuned_ns == 0 && tuner_spec_is(t->adapter) &&
	    !t->report.dvb.taken)
		end_search(t, t->report.error);
	else if (!tune_next(t, now_ns))
		end_search(t, lone_error(t));
}

static void every_second(struct adapter_task *t, uint64_t now_ns)
{
	t->second_ns = now_ns + SECOND_NS;
	record_feed_second(t->out.feed);
	t->bitrate_kbps = (uint32_t)(t->packets * TS_PACKET * 8 / 1000);
	t->all_packets += t->packets;
	t->packets = 0;
	if (t->source != NULL && t->counted &&
	    channel_is_idle(t->worker->channel))
		send_transponder(t);
	send_status(t);
}

static void on_tick(struct ev_loop *loop, ev_timer *timer, int revents)
{
	struct adapter_task *t = container_of(timer, struct adapter_task, tick);
	uint64_t now_ns = mono_ns();

	(void)loop, (void)revents;
	for (unsigned i = 0; i < READS_MAX && t->source != NULL; i++)
		if (t->source->ops->read(t->source, &t->batch, now_ns) <= 0)
			break;
	if (t->source != NULL && now_ns >= t->check_ns)
		check(t, now_ns);
	if (t->counted)
		scan_report_send(&t->out, t->number, false);
	if (now_ns >= t->second_ns)
		every_second(t, now_ns);
}

/* --- */

struct adapter_task *adapter_task_new(struct worker *worker,
				      const json_t *scan, source_open_fn *open)
{
	struct adapter_task *t = xcalloc(1, sizeof *t);
	uint64_t now_ns = mono_ns();
	struct errmsg error;
	struct grants grants;

	t->worker = worker;
	t->scan = json_deep_copy(scan);
	ev_init(&t->tick, on_tick);
	batch_init(&t->batch, on_packets, t);
	if (scan_spec_parse(t->scan, &t->spec, &error) < 0) {
		log_error("scan", "%s", error.text);
		worker_exit(worker, EX_PROTOCOL);
		adapter_task_free(&t);
		return NULL;
	}
	t->tunings = tuning_list_new(&t->spec);
	t->adapter = tuning_list_next(t->tunings);
	adapter_grants(t->adapter, input_openers[INPUT_HTTP] != NULL, &grants);
	if (!worker_enter_sandbox(worker, &grants)) {
		adapter_task_free(&t);
		return NULL;
	}
	worker_send_ready(worker);
	t->out = (struct scan_report){
		.channel = worker->channel,
		.services_only = t->spec.search != SCAN_TRANSPONDER,
		.atsc = tuner_spec_is_atsc(t->adapter),
		.on_record = on_record, .arg = t };
	if (open == NULL)
		open = source_open;
	t->source = open(t->adapter, worker->loop, now_ns);
	begin(t, now_ns);
	t->second_ns = now_ns;
	timer_repeat(worker->loop, &t->tick, 0., TICK_MS / 1e3);
	return t;
}

void adapter_task_free(struct adapter_task **pt)
{
	struct adapter_task *t = *pt;

	*pt = NULL;
	if (t == NULL)
		return;
	ev_timer_stop(t->worker->loop, &t->tick);
	if (t->source != NULL)
		t->source->ops->free(t->source);
	scan_report_done(&t->out);
	tuning_list_free(&t->tunings);
	json_decref(t->adapter);
	json_decref(t->scan);
	free(t);
}
