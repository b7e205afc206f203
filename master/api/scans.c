/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/scans.h"

#include "common/base/alloc.h"
#include "common/account/secret.h"
#include "common/supervise/jobs.h"
#include "master/api/edit.h"
#include "master/auth/caller.h"
#include "proto/ipc/channel.h"
#include "proto/spec/io_spec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

struct scan {
	LIST_ENTRY(scan) link;
	char id[SCAN_ID_TEXT];
	char *address;
	struct job *job;
	json_t *records; /* an array */
	size_t bytes;    /* length of the records as text */
	bool truncated;
	char error[256]; /* "" when there is none */
};

struct scans {
	struct jobs *jobs;
	LIST_HEAD(, scan) list;
};

struct scans *scans_new(struct jobs *jobs)
{
	struct scans *l = xcalloc(1, sizeof *l);

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
	json_decref(s->records);
	free(s->address);
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

static void on_message(const struct msg *m, void *self)
{
	struct scan *s = self;

	if (m->type == MSG_SCAN_STATUS) {
		const char *error = m->scan_status.error;

		(void)snprintf(s->error, sizeof s->error, "%s",
			       error != NULL ? error : "");
	} else if (m->type == MSG_SCAN_RECORD) {
		/* only its count of references changes */
		json_t *record = (json_t *)m->scan_record.record;
		size_t len = json_dumpb(record, NULL, 0, JSON_COMPACT);

		if (json_array_size(s->records) >= SCAN_RECORDS_MAX ||
		    s->bytes + len > SCAN_BYTES_MAX) {
			s->truncated = true;
			return;
		}
		s->bytes += len;
		(void)json_array_append(s->records, record);
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

/* Begins to read the address, which was judged; NULL when SCANS_MAX run. */
static struct scan *scan_new(struct scans *l, const char *address)
{
	struct scan *s;
	uint64_t number;
	size_t n = 0;

	LIST_FOREACH(s, &l->list, link)
		n++;
	if (n >= SCANS_MAX)
		return NULL;
	s = xcalloc(1, sizeof *s);
	s->job = job_start(l->jobs, &kind, s);
	if (s->job == NULL) {
		free(s);
		return NULL;
	}
	secret_random(&number, sizeof number);
	(void)snprintf(s->id, sizeof s->id, "%016" PRIx64, number);
	s->address = xstrdup(address);
	s->records = json_array();
	LIST_INSERT_HEAD(&l->list, s, link);
	job_set_deadline(s->job, SCAN_LIFE_MS);
	return s;
}

/* --- commands --- */

/* An analyzer opens the address for itself.  A port can be had once, and a
 * group costs the network: for an observer the analyzer opens neither, and
 * reads only what a stream that runs receives already. */
static bool may_read(const struct api *api, const char *address,
		     const struct input_spec *spec, const struct caller *who)
{
	const json_t *streams = config_section(api->cfg.config, STREAMS);
	const json_t *stream, *input;
	size_t i, j;

	if (who->type == USER_CONTROL)
		return true;
	if (spec->kind != INPUT_FILE && spec->kind != INPUT_HTTP)
		return false;
	json_array_foreach((json_t *)(uintptr_t)streams, i, stream) {
		if (!json_is_true(json_object_get(stream, "enable")))
			continue;
		json_array_foreach(json_object_get(stream, "input"), j, input)
			if (json_is_string(input) &&
			    strcmp(json_string_value(input), address) == 0)
				return true;
	}
	return false;
}

/* The address of the input to be read, borrowed; NULL after a reply. */
static const char *judge_input(const struct api *api, const json_t *request,
			       struct reply *reply)
{
	const json_t *scan = edit_get(request, "scan");
	const char *address = json_string_value(scan);
	const char *format = edit_text(scan, "format");
	struct input_spec spec;
	struct errmsg error;

	if (scan == NULL)
		reply_error(reply, 400, "scan: is missing");
	else if (format != NULL)
		reply_error(reply, 400, "scan.format: type \"%.32s\" is not "
			    "supported by this version", format);
	else if (address == NULL)
		reply_error(reply, 400, "scan: is not the address of an "
			    "input");
	else if (input_spec_parse(address, &spec, NULL, NULL, &error) < 0)
		reply_error(reply, 400, "scan: %s", error.text);
	else if (!may_read(api, address, &spec, reply_caller(reply)))
		reply_error(reply, 403, "scan: an observer analyzes files and "
			    "web addresses that are inputs of enabled "
			    "streams; GET api/stream-analysis/ID reports the "
			    "inputs of every kind");
	else
		return address;
	return NULL;
}

static void scans_init(struct api *api, const json_t *request,
		       struct reply *reply)
{
	const char *address = judge_input(api, request, reply);
	const struct scan *scan;
	json_t *body;

	if (address == NULL)
		return;
	scan = scan_new(api->scans, address);
	if (scan == NULL) {
		reply_error(reply, 503, "%d analyzers run already",
			    SCANS_MAX);
		return;
	}
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

/* `scan` has the new records, `error` stays, `truncated` is reported once. */
static void scans_check(struct api *api, const json_t *request,
			struct reply *reply)
{
	struct scan *s = find(api, request, reply);
	json_t *body;

	if (s == NULL)
		return;
	job_set_deadline(s->job, SCAN_LIFE_MS);
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
