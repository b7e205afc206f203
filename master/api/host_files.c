/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/host_files.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/loop/helper.h"
#include "common/loop/timer.h"
#include "master/api/apply.h"
#include "master/api/call.h"
#include "master/config/check_host.h"
#include "master/config/findings.h"

#include <ev.h>
#include <stdlib.h>
#include <sys/queue.h>

enum { LOOKS_MAX = 8, LIMIT_S = 2, LINES_MAX = 20 };

struct look;

typedef void check_fn(const json_t *document, struct findings *found);
/* Gets the findings of a check; found NULL: the disk did not answer in time. */
typedef void end_fn(struct look *, struct findings *found);

/* The part of a check that runs in the thread. */
struct job {
	/* a deep copy, because reference counts are not thread-safe */
	json_t *document;
	check_fn *check;
	struct findings found;
};

struct look {
	LIST_ENTRY(look) link;
	struct host_files *owner;
	struct helper_call *helper;
	ev_timer limit;
	end_fn *end;
	struct call *call; /* NULL: no request waits */
	command_fn *again;
	json_t *body; /* body of the answer; NULL: it was sent */
	char *id; /* id of the stream; NULL: the stream is not stored */
};

struct host_files {
	struct api *api;
	struct helpers *helpers;
	LIST_HEAD(, look) list;
	unsigned n;
};

static void job_run(void *job)
{
	struct job *j = job;

	j->check(j->document, &j->found);
}

static void job_free(void *job)
{
	struct job *j = job;

	json_decref(j->document);
	findings_done(&j->found);
	free(j);
}

static void look_free(struct look *k)
{
	ev_timer_stop(k->owner->api->cfg.loop, &k->limit);
	LIST_REMOVE(k, link);
	k->owner->n--;
	helper_call_cancel(&k->helper);
	json_decref(k->body);
	free(k->id);
	free(k);
}

static void job_done(void *job, void *arg)
{
	struct job *j = job;
	struct look *k = arg;

	k->helper = NULL;
	k->end(k, &j->found);
}

static void on_limit(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct look *k = container_of(w, struct look, limit);

	(void)loop, (void)revents;
	k->end(k, NULL);
}

struct host_files *host_files_new(struct api *api)
{
	struct host_files *f = xcalloc(1, sizeof *f);

	f->api = api;
	f->helpers = helpers_new(api->cfg.loop, LOOKS_MAX);
	LIST_INIT(&f->list);
	return f;
}

void host_files_free(struct host_files **p)
{
	struct host_files *f = *p;
	struct look *k;

	*p = NULL;
	if (f == NULL)
		return;
	while ((k = LIST_FIRST(&f->list)) != NULL)
		look_free(k);
	helpers_free(&f->helpers);
	free(f);
}

/* Starts a check in a thread; the caller sets a time limit if it needs one. */
static struct look *begin(struct host_files *f, check_fn *check,
			  json_t *take_copy, end_fn *end)
{
	static const struct helper_kind kind = {
		.run = job_run, .done = job_done, .free = job_free,
	};
	struct job *j = xcalloc(1, sizeof *j);
	struct look *k = xcalloc(1, sizeof *k);

	j->document = take_copy;
	j->check = check;
	k->owner = f;
	k->end = end;
	ev_init(&k->limit, on_limit);
	LIST_INSERT_HEAD(&f->list, k, link);
	f->n++;
	k->helper = helper_call_new(f->helpers, &kind, j, k);
	return k;
}

/* --- sections --- */

static void check_sections(const json_t *document, struct findings *found)
{
	check_host(document, HOST_FILES, findings_add, found);
	/* the tls worker checks a pair that changes; a missing file of an
	 * unchanged pair is no error here */
	check_host_certificate(document, false, findings_add, found);
}

/* Returns a copy of the sections that name files, a new reference; NULL: the
 * document has none. */
static json_t *copy_sections(const json_t *document)
{
	static const char *const keys[] = { "make_stream", "log", "settings" };
	json_t *copy = NULL;

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const json_t *section = json_object_get(document, keys[i]);

		if (section == NULL || json_is_null(section))
			continue;
		if (copy == NULL)
			copy = json_object();
		(void)json_object_set_new(copy, keys[i],
					  json_deep_copy(section));
	}
	return copy;
}

/* Starts a check of sections.  NULL: no section names files, or too many checks
 * run. */
static struct look *begin_sections(struct host_files *f,
				   const json_t *document, end_fn *end)
{
	json_t *copy = f->n < LOOKS_MAX ? copy_sections(document) : NULL;

	return copy != NULL ? begin(f, check_sections, copy, end) : NULL;
}

static void run_again(struct look *k, struct findings *found)
{
	struct call *call = k->call;
	command_fn *again = k->again;

	look_free(k);
	call->files_end = found != NULL ? FILES_FOUND : FILES_LATE;
	if (found != NULL) {
		call->files = *found;
		*found = (struct findings){ 0 };
	}
	call_again(call, again);
}

static void on_gone(void *arg)
{
	look_free(arg);
}

bool host_files_judge(struct host_files *f, const json_t *document,
		      struct reply *reply, command_fn *again)
{
	struct look *k = NULL;

	if (reply->call->files_end == FILES_UNKNOWN)
		k = begin_sections(f, document, run_again);
	if (k == NULL)
		return true;
	k->again = again;
	timer_start(f->api->cfg.loop, &k->limit, LIMIT_S);
	k->call = reply_later(reply, on_gone, k);
	return false;
}

static void log_finding(enum check_severity severity, const char *path,
			const char *text, void *arg)
{
	unsigned *n = arg;

	(void)severity;
	if ((*n)++ < LINES_MAX)
		log_warning("config", "%s: %s", path, text);
}

static void log_findings(struct look *k, struct findings *found)
{
	unsigned n = 0;

	findings_report(found, log_finding, &n);
	look_free(k);
}

void host_files_log(struct host_files *f, const char *key,
		    const json_t *value, const struct call *call)
{
	json_t *document;

	if (call->files_end == FILES_FOUND || value == NULL)
		return;
	document = json_object();
	(void)json_object_set(document, key, (json_t *)(uintptr_t)value);
	(void)begin_sections(f, document, log_findings);
	json_decref(document);
}

/* --- a stream --- */

static void check_stream_files(const json_t *stream, struct findings *found)
{
	(void)check_host_stream(stream, HOST_FILES, findings_add, found);
}

/* Sends the answer that waits, with the findings as warnings.  found NULL: the
 * time limit has passed: answers without them, and the check continues for the
 * log. */
static void answer(struct look *k, struct findings *found)
{
	struct call *call = k->call;
	struct reply *reply = call != NULL ? call_reply(call) : NULL;
	struct buf warnings = { 0 };
	json_t *body = k->body;

	k->body = NULL;
	k->call = NULL;
	if (reply != NULL)
		reply_json(reply, body);
	else
		json_decref(body);
	findings_repeat(found, apply_add_warning, &warnings);
	apply_warn(k->owner->api, k->id, &warnings, reply);
	if (call != NULL)
		call_finish(call);
	if (found != NULL)
		look_free(k);
}

void host_files_warn(struct host_files *f, const char *id,
		     const json_t *stream, struct reply *reply)
{
	struct look *k;

	if (f->n == LOOKS_MAX || reply->status != 200)
		return;
	k = begin(f, check_stream_files, json_deep_copy(stream), answer);
	k->id = id != NULL ? xstrdup(id) : NULL;
	timer_start(f->api->cfg.loop, &k->limit, LIMIT_S);
	k->body = json_incref(reply->body);
	reply_reset(reply);
	reply_later_into(reply, &k->call);
}
