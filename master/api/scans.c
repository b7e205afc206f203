/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/scans.h"

#include "common/base/alloc.h"
#include "common/account/secret.h"
#include "common/supervise/jobs.h"
#include "master/api/edit.h"
#include "master/api/scan_input.h"
#include "master/api/scan_results.h"
#include "master/api/scan_target.h"
#include "master/api/scan_weight.h"
#include "master/auth/caller.h"
#include "master/config/adapter_conf.h"
#include "master/streams/adapter_procs.h"
#include "master/streams/reconciler.h"
#include "proto/ipc/channel.h"
#include "proto/spec/io_spec.h"
#include "proto/spec/tuner_spec.h"

#include <errno.h>
#include <ev.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

struct scan {
	LIST_ENTRY(scan) link;
	char id[SCAN_ID_TEXT];
	struct scans *owner;
	/* The address that the worker of the scan opens; with adapter, its
	 * dvb:// address; NULL: the scan has a target or a stream. */
	char *address;
	/* the adapter that the worker of the scan opens (scan_target.h); NULL:
	 * none */
	json_t *target;
	/* id of the adapter whose ring the worker of the scan reads; NULL:
	 * none */
	char *adapter;
	/* adapter_info.rings of the ring that the worker has received */
	unsigned rings;
	bool atsc;       /* the adapter receives ATSC */
	struct job *job; /* the worker of the scan; NULL: none */
	bool dead;       /* the worker that reports has ended */
	struct scan_results *results; /* with target or adapter; else NULL */
	/* id of the stream whose input (position) is scanned; NULL: none */
	char *stream;
	unsigned position;
	struct input_scan *input;
	ev_timer deadline;
	json_t *records; /* list of records that no client has fetched yet */
	size_t bytes;    /* memory of the records */
	bool truncated;
	char error[256]; /* "": no error */
};

struct scans {
	struct ev_loop *loop;
	struct jobs *jobs;
	struct reconciler *reconciler;
	LIST_HEAD(, scan) list;
};

struct scans *scans_new(struct ev_loop *loop, struct reconciler *reconciler)
{
	struct scans *l = xcalloc(1, sizeof *l);

	l->loop = loop;
	l->reconciler = reconciler;
	l->jobs = reconciler_jobs(reconciler);
	LIST_INIT(&l->list);
	return l;
}

static void scan_free(struct scan **sp)
{
	struct scan *s = *sp;

	*sp = NULL;
	LIST_REMOVE(s, link);
	job_free(&s->job);
	ev_timer_stop(s->owner->loop, &s->deadline);
	input_scan_free(&s->input);
	json_decref(s->records);
	json_decref(s->target);
	scan_results_free(&s->results);
	free(s->address);
	free(s->adapter);
	free(s->stream);
	free(s);
}

void scans_free(struct scans **l)
{
	struct scan *s;

	if (*l == NULL)
		return;
	while ((s = LIST_FIRST(&(*l)->list)) != NULL)
		scan_free(&s);
	free(*l);
	*l = NULL;
}

static int send_ring(struct scan *s, struct channel *channel)
{
	struct adapter_procs *adapters =
		reconciler_adapters(s->owner->reconciler);
	struct msg m = { .type = MSG_SCAN_RING,
			 .scan_ring = { s->address, s->atsc } };
	int ring = adapter_procs_ring(adapters, s->adapter);
	struct adapter_info info;

	if (ring < 0 || !adapter_procs_get(adapters, s->adapter, &info) ||
	    info.rings == s->rings)
		return 0;
	s->rings = info.rings;
	return channel != NULL ? channel_send(channel, &m, &ring, 1)
			       : job_send(s->job, &m, &ring);
}

static void on_hello(struct channel *channel, void *self)
{
	struct scan *s = self;
	struct msg m = { .type = MSG_SCAN_START,
			 .scan_start = { s->address } };

	if (s->adapter != NULL) {
		(void)send_ring(s, channel);
		return;
	}
	if (s->target != NULL)
		m = (struct msg){ .type = MSG_SCAN_ADAPTER,
				  .scan_adapter = { s->target } };
	(void)channel_send(channel, &m, NULL, 0);
}

static void on_record(const json_t *report, void *self)
{
	struct scan *s = self;
	/* the cast: only the reference count of the report changes */
	json_t *record = (json_t *)(uintptr_t)report;
	size_t n = scan_weight(record, SCAN_BYTES_MAX);

	if (json_array_size(s->records) >= SCAN_RECORDS_MAX ||
	    s->bytes + n > SCAN_BYTES_MAX) {
		s->truncated = true;
		return;
	}
	s->bytes += n;
	(void)json_array_append(s->records, record);
}

static void on_status(struct scan *s, const struct msg_scan_status *m)
{
	(void)snprintf(s->error, sizeof s->error, "%s",
		       m->error != NULL ? m->error : "");
	/* a new worker of the adapter has another ring */
	if (s->adapter != NULL)
		(void)send_ring(s, NULL);
}

static void on_message(const struct msg *m, void *self)
{
	struct scan *s = self;

	if (s->results != NULL && scan_results_take(s->results, m))
		s->truncated = true;
	if (m->type == MSG_SCAN_STATUS)
		on_status(s, &m->scan_status);
	else if (m->type == MSG_SCAN_RECORD)
		on_record(m->scan_record.record, s);
}

static void on_end(const char *error, void *self)
{
	struct scan *s = self;

	s->dead = true;
	(void)snprintf(s->error, sizeof s->error,
		       "the analyzer has ended: %s", error);
}

static void on_deadline(void *self)
{
	struct scan *s = self;

	scan_free(&s);
}

static const struct job_kind kind = {
	.role = "scan",
	.beat = MSG_SCAN_STATUS,
	.max = 2 * SCANS_MAX, /* including the workers that are ending */
	.on_hello = on_hello,
	.on_message = on_message,
	.on_end = on_end,
	.on_deadline = on_deadline,
};

/* --- an input of a stream --- */

static void on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct scan *s = container_of(w, struct scan, deadline);

	(void)loop, (void)revents;
	scan_free(&s);
}

static void on_input_end(const char *error, void *self)
{
	struct scan *s = self;

	on_end(error, s);
	input_scan_free(&s->input);
}

static const struct input_scan_events input_events = {
	.on_record = on_record,
	.on_end = on_input_end,
};

/* --- all scans --- */

static void prolong(struct scan *s)
{
	if (s->job != NULL) {
		job_set_deadline(s->job, SCAN_LIFE_MS);
		return;
	}
	s->deadline.repeat = SCAN_LIFE_MS / 1e3;
	ev_timer_again(s->owner->loop, &s->deadline);
}

static size_t count(const struct scans *l)
{
	const struct scan *s;
	size_t n = 0;

	LIST_FOREACH(s, &l->list, link)
		n++;
	return n;
}

static struct scan *add(struct scans *l, struct scan *s)
{
	uint64_t number;

	secret_random(&number, sizeof number);
	(void)snprintf(s->id, sizeof s->id, "%016" PRIx64, number);
	s->owner = l;
	s->records = json_array();
	ev_init(&s->deadline, on_timer);
	LIST_INSERT_HEAD(&l->list, s, link);
	prolong(s);
	return s;
}

/* Starts a scan with a worker of its own; NULL: the reply already has the
 * error. */
static struct scan *scan_by_worker(struct scans *l, struct reply *reply)
{
	struct scan *s = xcalloc(1, sizeof *s);

	s->job = job_start(l->jobs, &kind, s);
	if (s->job != NULL)
		return add(l, s);
	free(s);
	reply_error(reply, 503, "%d analyzers run already", SCANS_MAX);
	return NULL;
}

/* Starts a scan of an input of a stream; NULL: the reply already has the
 * error. */
static struct scan *scan_input(struct api *api, const struct scan_input *target,
			       struct reply *reply)
{
	struct scan *s = xcalloc(1, sizeof *s);
	int err;

	s->input = reconciler_scan(api->cfg.reconciler, target->stream,
				   target->position, &input_events, s, &err);
	if (s->input != NULL) {
		s->stream = xstrdup(target->stream);
		s->position = target->position;
		return add(api->scans, s);
	}
	free(s);
	if (err == -EBUSY)
		reply_error(reply, 503, "another input of the stream is being "
					"analyzed: stop that analyzer, or wait "
					"until it ends");
	else
		reply_error(reply, 503, "the stream does not run");
	return NULL;
}

/* --- commands --- */

/* Starts a worker that reads the ring of an adapter; NULL: the reply already
 * has the error. */
static struct scan *init_ring(struct api *api, const char *address,
			      const char *id, struct reply *reply)
{
	const struct adapter_procs *adapters =
		reconciler_adapters(api->cfg.reconciler);
	const json_t *adapter = edit_entry(api, ADAPTERS, id);
	struct scan *s;

	if (adapter == NULL) {
		reply_error(reply, 404, "scan: there is no adapter \"%.64s\"",
			    id);
		return NULL;
	}
	if (adapter_procs_ring(adapters, id) < 0) {
		reply_error(reply, 503, "scan: the adapter \"%.64s\" does not "
			    "run", id);
		return NULL;
	}
	s = scan_by_worker(api->scans, reply);
	if (s == NULL)
		return NULL;
	s->address = xstrdup(address);
	s->adapter = xstrdup(id);
	s->atsc = tuner_spec_is_atsc(adapter);
	s->results = scan_results_new();
	return s;
}

/* Starts a worker that opens the address.  For dvb:// it reads the ring of the
 * adapter, which must run.  NULL: the reply already has the error. */
static struct scan *init_address(struct api *api, const char *address,
				 struct reply *reply)
{
	struct input_spec spec;
	struct errmsg error;
	struct scan *s;

	if (input_spec_parse(address, &spec, NULL, NULL, &error) < 0) {
		reply_error(reply, 400, "scan: %s", error.text);
		return NULL;
	}
	if (spec.kind == INPUT_DVB) {
		char id[IO_ID_MAX + 1];

		adapter_link_read(address, id);
		return init_ring(api, address, id, reply);
	}
	s = scan_by_worker(api->scans, reply);
	if (s != NULL)
		s->address = xstrdup(address);
	return s;
}

/* True: a running scan uses the frontend of this target. */
static bool is_scanned(const struct scans *l, const json_t *target)
{
	const struct scan *s;

	LIST_FOREACH(s, &l->list, link)
		if (s->target != NULL && s->job != NULL && !s->dead &&
		    !scan_results_is_ended(s->results) &&
		    scan_target_is_same(s->target, target))
			return true;
	return false;
}

/* Starts a worker that opens an adapter; NULL: the reply already has the
 * error. */
static struct scan *init_adapter(struct api *api, const json_t *scan,
				 struct reply *reply)
{
	struct errmsg error = { 0 };
	json_t *target = scan_target_read(scan, &error);
	struct scan *s = NULL;

	if (target == NULL)
		reply_error(reply, 400, "%s", error.text);
	else if (scan_target_is_taken(api, target, &error))
		reply_error(reply, 409, "scan.adapter: %s", error.text);
	else if (!scan_target_fits(api, target, &error))
		reply_error(reply, 409, "scan.adapter.%s", error.text);
	else if (is_scanned(api->scans, target))
		reply_error(reply, 409, "scan.adapter: another analyzer uses "
					"the frontend");
	else
		s = scan_by_worker(api->scans, reply);
	if (s == NULL) {
		json_decref(target);
		return NULL;
	}
	s->target = target;
	s->results = scan_results_new();
	return s;
}

void scans_release(struct api *api)
{
	struct errmsg error;
	struct scan *s;

	if (api->scans == NULL)
		return;
	LIST_FOREACH(s, &api->scans->list, link) {
		if (s->target == NULL || s->job == NULL ||
		    (!scan_target_is_taken(api, s->target, &error) &&
		     scan_target_fits(api, s->target, &error)))
			continue;
		job_free(&s->job);
		prolong(s);
		(void)snprintf(s->error, sizeof s->error,
			       "the scan has ended: %.200s", error.text);
	}
}

/* Starts the scan that the request names; NULL: the reply already has the
 * error.  An observer may only scan inputs of streams: opening an address would
 * take a port, or load the network with a group. */
static struct scan *init(struct api *api, const json_t *scan,
			 struct reply *reply)
{
	bool control = reply_caller(reply)->type == USER_CONTROL;
	const char *address = json_string_value(scan);
	const char *format = edit_text(scan, "format");
	struct scan_input target = { 0 };

	if (count(api->scans) >= SCANS_MAX) {
		reply_error(reply, 503, "%d analyzers run already", SCANS_MAX);
		return NULL;
	}
	if (scan == NULL)
		reply_error(reply, 400, "scan: is missing");
	else if (format != NULL)
		reply_error(reply, 400, "scan.format: type \"%.32s\" is not "
			    "supported by this version", format);
	else if (json_object_get(scan, "adapter") != NULL && control)
		return init_adapter(api, scan, reply);
	else if (json_is_object(scan))
		target = scan_input_read(api, scan, reply);
	else if (address == NULL)
		reply_error(reply, 400, "scan: is not the address of an "
			    "input");
	else if (control)
		return init_address(api, address, reply);
	else
		target = scan_input_shown(api, address);
	if (target.stream != NULL)
		return scan_input(api, &target, reply);
	if (reply->status == 0)
		reply_error(reply, 403, "scan: an observer analyzes inputs of "
			    "enabled streams: {\"stream\": ID, \"input\": "
			    "POSITION}, or the address as load shows it");
	return NULL;
}

static void scans_init(struct api *api, const json_t *request,
		       struct reply *reply)
{
	const struct scan *scan = init(api, edit_get(request, "scan"), reply);
	json_t *body;

	if (scan == NULL)
		return;
	body = json_object();
	(void)json_object_set_new(body, "scan-init", json_string("ok"));
	(void)json_object_set_new(body, "id", json_string(scan->id));
	reply_json(reply, body);
}

/* Finds the scan that `id' of the request names; NULL: the reply already has
 * the error. */
static struct scan *find(const struct api *api, const json_t *request,
			 struct reply *reply)
{
	const char *id = json_string_value(edit_get(request, "id"));
	struct scan *s;

	if (id == NULL) {
		reply_error(reply, 400, "id: is not the id of an analyzer");
		return NULL;
	}
	LIST_FOREACH(s, &api->scans->list, link)
		if (strcmp(s->id, id) == 0)
			return s;
	reply_error(reply, 404, "id: there is no analyzer \"%.64s\"", id);
	return NULL;
}

/* Adds the error of the input that is scanned, unless the scan itself has an
 * error or the input has none. */
static void add_input_error(const struct api *api, const struct scan *s,
			    json_t *body)
{
	json_t *report = status_inputs(api->cfg.status, s->stream, NULL);
	const json_t *input = json_array_get(json_object_get(report, "inputs"),
					     s->position - 1);
	const char *error = edit_text(input, "error");

	if (s->error[0] == '\0' && input != NULL &&
	    (error != NULL || !json_is_true(json_object_get(input, "open"))))
		(void)json_object_set_new(
			body, "error",
			json_string(error != NULL
					    ? error
					    : "the stream has not opened the "
					      "input"));
	json_decref(report);
}

/* Adds the reception and the error of the adapter whose ring the scan reads,
 * from the status of the adapter. */
static void add_adapter(const struct api *api, struct scan *s)
{
	struct adapter_info info;

	if (!adapter_procs_get(reconciler_adapters(api->cfg.reconciler),
			       s->adapter, &info)) {
		(void)snprintf(s->error, sizeof s->error,
			       "the adapter \"%.64s\" does not run",
			       s->adapter);
		return;
	}
	adapter_procs_keep_tables(reconciler_adapters(api->cfg.reconciler),
				  s->adapter);
	scan_results_signal(s->results, 1, &info.status);
	if (info.error != NULL)
		(void)snprintf(s->error, sizeof s->error, "%s", info.error);
}

/* Answers scan-check: `scan' has the records since the last answer.  `error' is
 * repeated in each answer, `truncated' is in one answer only. */
static void scans_check(struct api *api, const json_t *request,
			struct reply *reply)
{
	struct scan *s = find(api, request, reply);
	json_t *body;

	if (s == NULL)
		return;
	prolong(s);
	if (s->input != NULL)
		input_scan_keep(s->input);
	body = json_object();
	(void)json_object_set_new(body, "scan-check", json_string("ok"));
	if (json_array_size(s->records) > 0) {
		(void)json_object_set_new(body, "scan", s->records);
		s->records = json_array();
		s->bytes = 0;
	}
	if (s->adapter != NULL)
		add_adapter(api, s);
	if (s->results != NULL)
		scan_results_put(s->results, body);
	if (s->error[0] != '\0')
		(void)json_object_set_new(body, "error",
					  json_string(s->error));
	if (s->stream != NULL)
		add_input_error(api, s, body);
	if (s->truncated)
		(void)json_object_set_new(body, "truncated", json_true());
	s->truncated = false;
	reply_json(reply, body);
}

static void scans_kill(struct api *api, const json_t *request,
		       struct reply *reply)
{
	struct scan *scan = find(api, request, reply);

	if (scan == NULL)
		return;
	scan_free(&scan);
	reply_ok(reply, "scan-kill");
}

const struct api_command scans_commands[] = {
	{ "scan-check", scans_check, OBSERVER_ALLOWED, 0 },
	{ "scan-init", scans_init, OBSERVER_ALLOWED, 0 },
	{ "scan-kill", scans_kill, OBSERVER_ALLOWED, 0 },
	{ 0 },
};
