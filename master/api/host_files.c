/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/host_files.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/loop/helper.h"
#include "common/loop/timer.h"
#include "master/api/call.h"
#include "master/config/check_host.h"
#include "master/config/findings.h"

#include <ev.h>
#include <stdlib.h>
#include <sys/queue.h>

enum { LOOKS_MAX = 8, LIMIT_S = 2, LINES_MAX = 20 };

struct look {
	LIST_ENTRY(look) link;
	struct host_files *owner;
	struct helper_call *helper;
	struct call *call; /* NULL: the findings are for the log */
	command_fn *again;
	ev_timer limit;
};

/* For the thread. */
struct job {
	json_t *document; /* a copy */
	struct findings found;
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

	check_host(j->document, HOST_FILES, findings_add, &j->found);
	/* the tls worker checks a pair that changes; a file of an unchanged
	 * pair may be missing */
	check_host_certificate(j->document, false, findings_add, &j->found);
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
	free(k);
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

/* Runs the command again.  found: taken; NULL: the disk has not answered. */
static void finish(struct look *k, struct findings *found)
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

static void log_finding(enum check_severity severity, const char *path,
			const char *text, void *arg)
{
	unsigned *n = arg;

	(void)severity;
	if ((*n)++ < LINES_MAX)
		log_warning("config", "%s: %s", path, text);
}

static void job_done(void *job, void *arg)
{
	struct job *j = job;
	struct look *k = arg;
	unsigned n = 0;

	k->helper = NULL;
	if (k->call != NULL) {
		finish(k, &j->found);
		return;
	}
	findings_report(&j->found, log_finding, &n);
	look_free(k);
}

static void on_limit(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop, (void)revents;
	finish(container_of(w, struct look, limit), NULL);
}

static void on_gone(void *arg)
{
	look_free(arg);
}

/* A copy, because a thread must not count references, of the sections that name
 * files; NULL: none does. */
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

/* NULL: no section names files, or too many checks run. */
static struct look *begin(struct host_files *f, const json_t *document)
{
	static const struct helper_kind kind = {
		.run = job_run, .done = job_done, .free = job_free,
	};
	json_t *copy = f->n < LOOKS_MAX ? copy_sections(document) : NULL;
	struct look *k;
	struct job *j;

	if (copy == NULL)
		return NULL;
	j = xcalloc(1, sizeof *j);
	j->document = copy;
	k = xcalloc(1, sizeof *k);
	k->owner = f;
	ev_init(&k->limit, on_limit);
	LIST_INSERT_HEAD(&f->list, k, link);
	f->n++;
	k->helper = helper_call_new(f->helpers, &kind, j, k);
	return k;
}

bool host_files_judge(struct host_files *f, const json_t *document,
		      struct reply *reply, command_fn *again)
{
	struct look *k = NULL;

	if (reply->call->files_end == FILES_UNKNOWN)
		k = begin(f, document);
	if (k == NULL)
		return true;
	k->again = again;
	timer_start(f->api->cfg.loop, &k->limit, LIMIT_S);
	k->call = reply_later(reply, on_gone, k);
	return false;
}

void host_files_log(struct host_files *f, const char *key,
		    const json_t *value, const struct call *call)
{
	json_t *document;

	if (call->files_end == FILES_FOUND || value == NULL)
		return;
	document = json_object();
	(void)json_object_set(document, key, (json_t *)(uintptr_t)value);
	(void)begin(f, document);
	json_decref(document);
}
