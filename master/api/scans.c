/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/scans.h"

#include "common/base/alloc.h"
#include "common/account/secret.h"
#include "common/supervise/jobs.h"
#include "master/api/edit.h"
#include "master/api/redact.h"
#include "master/auth/caller.h"
#include "master/streams/reconciler.h"
#include "proto/ipc/channel.h"
#include "proto/spec/address_open.h"
#include "proto/spec/io_spec.h"

#include <errno.h>
#include <ev.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

/* An input of a stream. */
struct target {
	const char *stream; /* its id, borrowed; NULL: none */
	unsigned position; /* from 1 */
};

struct scan {
	LIST_ENTRY(scan) link;
	char id[SCAN_ID_TEXT];
	struct scans *owner;
	/* a worker of its own, which opens the address; or NULL, */
	char *address;
	struct job *job;
	/* and the worker that receives the input of a stream */
	char *stream;
	unsigned position;
	struct input_scan *input;
	ev_timer deadline;
	json_t *records; /* an array */
	size_t bytes;    /* length of the records as text */
	bool truncated;
	char error[256]; /* "" when there is none */
};

struct scans {
	struct ev_loop *loop;
	struct jobs *jobs;
	LIST_HEAD(, scan) list;
};

struct scans *scans_new(struct ev_loop *loop, struct jobs *jobs)
{
	struct scans *l = xcalloc(1, sizeof *l);

	l->loop = loop;
	l->jobs = jobs;
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
	free(s->address);
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

static void on_hello(struct channel *channel, void *self)
{
	const struct scan *s = self;
	struct msg m = { .type = MSG_SCAN_START,
			 .scan_start = { s->address } };

	(void)channel_send(channel, &m, NULL, 0);
}

static void on_record(const json_t *report, void *self)
{
	struct scan *s = self;
	/* only its count of references changes */
	json_t *record = (json_t *)(uintptr_t)report;
	size_t len = json_dumpb(record, NULL, 0, JSON_COMPACT);

	if (json_array_size(s->records) >= SCAN_RECORDS_MAX ||
	    s->bytes + len > SCAN_BYTES_MAX) {
		s->truncated = true;
		return;
	}
	s->bytes += len;
	(void)json_array_append(s->records, record);
}

static void on_message(const struct msg *m, void *self)
{
	struct scan *s = self;

	if (m->type == MSG_SCAN_STATUS) {
		const char *error = m->scan_status.error;

		(void)snprintf(s->error, sizeof s->error, "%s",
			       error != NULL ? error : "");
	} else if (m->type == MSG_SCAN_RECORD) {
		on_record(m->scan_record.record, s);
	}
}

static void on_end(const char *error, void *self)
{
	struct scan *s = self;

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
	.max = 2 * SCANS_MAX, /* with those that are ending */
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

/* --- both --- */

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

/* Begins to read the address, which was judged; NULL: no worker is free. */
static struct scan *scan_address(struct scans *l, const char *address)
{
	struct scan *s = xcalloc(1, sizeof *s);

	s->job = job_start(l->jobs, &kind, s);
	if (s->job == NULL) {
		free(s);
		return NULL;
	}
	s->address = xstrdup(address);
	return add(l, s);
}

/* NULL after a reply. */
static struct scan *scan_input(struct api *api, const struct target *target,
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
		reply_error(reply, 503, "another input of the stream is "
			    "analyzed now");
	else
		reply_error(reply, 503, "the stream is not run");
	return NULL;
}

/* --- commands --- */

/* The address as the caller receives it with the configuration. */
static bool is_shown_as(const char *address, const char *text, bool reduced)
{
	char *shown = reduced ? address_open(address, ADDRESS_INPUT)
			      : xstrdup(address);
	bool same = strcmp(shown, text) == 0;

	free(shown);
	return same;
}

/* Finds the input of an enabled stream that an observer names by the address
 * that it has received.  Whether a guess is the whole address shows in no
 * reply. */
static struct target find_shown(const struct api *api, const char *text)
{
	const json_t *streams = config_section(api->cfg.config, STREAMS);
	bool reduced = observer_is_reduced(config_section(api->cfg.config,
							  "settings"));
	const json_t *stream, *input;
	size_t i, j;

	json_array_foreach((json_t *)(uintptr_t)streams, i, stream) {
		if (!json_is_true(json_object_get(stream, "enable")))
			continue;
		json_array_foreach(json_object_get(stream, "input"), j, input)
			if (json_is_string(input) &&
			    is_shown_as(json_string_value(input), text,
					reduced))
				return (struct target){
					edit_text(stream, "id"),
					(unsigned)j + 1 };
	}
	return (struct target){ 0 };
}

/* {stream, input}; .stream is NULL after a reply. */
static struct target read_target(const struct api *api, const json_t *scan,
				 struct reply *reply)
{
	const char *id = edit_text(scan, "stream");
	json_int_t position = edit_number(edit_get(scan, "input"));
	const json_t *stream = id != NULL ? config_stream(api->cfg.config, id)
					  : NULL;
	size_t n = json_array_size(json_object_get(stream, "input"));

	if (id == NULL)
		reply_error(reply, 400, "scan.stream: is not the id of a "
			    "stream");
	else if (stream == NULL)
		reply_error(reply, 404, "scan.stream: there is no stream "
			    "\"%.64s\"", id);
	else if (position < 1 || (size_t)position > n)
		reply_error(reply, 400, "scan.input: is not one of 1 to %zu",
			    n);
	else
		return (struct target){ id, (unsigned)position };
	return (struct target){ 0 };
}

/* A worker opens the address.  NULL after a reply. */
static struct scan *init_address(struct api *api, const char *address,
				 struct reply *reply)
{
	struct input_spec spec;
	struct errmsg error;
	struct scan *s = NULL;

	if (input_spec_parse(address, &spec, NULL, NULL, &error) < 0) {
		reply_error(reply, 400, "scan: %s", error.text);
		return NULL;
	}
	if (spec.kind == INPUT_DVB) {
		reply_error(reply, 400, "scan: a dvb:// address is scanned as "
			    "the input of a stream: send stream and input");
		return NULL;
	}
	s = scan_address(api->scans, address);
	if (s == NULL)
		reply_error(reply, 503, "%d analyzers run already", SCANS_MAX);
	return s;
}

/* A port can be had once, and a group costs the network: for an observer
 * nothing is opened.  NULL after a reply. */
static struct scan *init(struct api *api, const json_t *scan,
			 struct reply *reply)
{
	bool control = reply_caller(reply)->type == USER_CONTROL;
	const char *address = json_string_value(scan);
	const char *format = edit_text(scan, "format");
	struct target target = { 0 };

	if (count(api->scans) >= SCANS_MAX) {
		reply_error(reply, 503, "%d analyzers run already", SCANS_MAX);
		return NULL;
	}
	if (scan == NULL)
		reply_error(reply, 400, "scan: is missing");
	else if (format != NULL)
		reply_error(reply, 400, "scan.format: type \"%.32s\" is not "
			    "supported by this version", format);
	else if (json_is_object(scan))
		target = read_target(api, scan, reply);
	else if (address == NULL)
		reply_error(reply, 400, "scan: is not the address of an "
			    "input");
	else if (control)
		return init_address(api, address, reply);
	else
		target = find_shown(api, address);
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

/* NULL after a reply. */
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

/* Why the worker of the stream receives no packets. */
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

/* `scan` has the new records, `error` stays, `truncated` is reported once. */
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
