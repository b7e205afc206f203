/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers GET api/revisions[/N]: the configuration file and its former
 * contents. */
#include "common/base/alloc.h"
#include "common/document/document.h"
#include "common/document/revisions.h"
#include "common/loop/helper.h"
#include "master/api/call.h"
#include "master/api/revisions_query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum { THREADS = 1, QUERIES_MAX = 8 };

struct query {
	LIST_ENTRY(query) link;
	struct revisions_query *owner;
	struct helper_call *helper;
	struct call *call;
};

/* The part of a request that runs in the thread. */
struct job {
	char *path;
	bool list;
	size_t n;
	struct revision found[REVISIONS_MAX + 1];
	int result;
	json_t *document;
	struct errmsg error;
};

struct revisions_query {
	struct helpers *helpers;
	LIST_HEAD(, query) queries;
	unsigned n;
};

static void job_run(void *job)
{
	struct job *j = job;

	if (j->list)
		j->n = revisions_list(j->path, j->found);
	else
		j->result = document_load(j->path, &j->document, &j->error);
}

static void job_free(void *job)
{
	struct job *j = job;

	json_decref(j->document);
	free(j->path);
	free(j);
}

/* Always true: all jobs wait for the same disk, so the helper runs them in one
 * thread, and a disk that hangs blocks only this thread. */
static bool job_is_same(const void *a, const void *b)
{
	(void)a, (void)b;
	return true;
}

static json_t *revision_json(const struct revision *r)
{
	json_t *o = json_pack("{s:i, s:I, s:I, s:s}", "n", (int)r->n, "time",
			      (json_int_t)r->time_s, "bytes",
			      (json_int_t)r->bytes, "hash", r->digest);
	json_t *author = r->author[0] != '\0' ? json_string(r->author) : NULL;

	if (author != NULL)
		(void)json_object_set_new(o, "author", author);
	return o;
}

static void reply_list(struct reply *reply, const struct job *j)
{
	json_t *list = json_array();

	for (size_t i = 0; i < j->n; i++)
		(void)json_array_append_new(list, revision_json(&j->found[i]));
	reply_json(reply, json_pack("{s:o}", "revisions", list));
}

static void reply_document(struct reply *reply, const struct job *j)
{
	if (j->result == 0)
		reply_json(reply, json_incref(j->document));
	else if (j->result == -ENOENT)
		reply_error(reply, 404, "there is no such revision");
	else
		reply_error(reply, 500, "the revision cannot be read: %s",
			    j->error.text);
}

static void query_free(struct query *q)
{
	LIST_REMOVE(q, link);
	q->owner->n--;
	helper_call_cancel(&q->helper);
	free(q);
}

static void job_done(void *job, void *arg)
{
	const struct job *j = job;
	struct query *q = arg;
	struct call *call = q->call;

	q->helper = NULL;
	query_free(q);
	if (j->list)
		reply_list(call_reply(call), j);
	else
		reply_document(call_reply(call), j);
	call_finish(call);
}

static void on_gone(void *arg)
{
	query_free(arg);
}

static void ask(struct revisions_query *r, const char *path, bool list,
		struct reply *reply)
{
	static const struct helper_kind kind = {
		.run = job_run, .done = job_done, .free = job_free,
		.is_same = job_is_same,
	};
	struct query *q = xcalloc(1, sizeof *q);
	struct job *j = xcalloc(1, sizeof *j);

	j->path = xstrdup(path);
	j->list = list;
	q->owner = r;
	LIST_INSERT_HEAD(&r->queries, q, link);
	r->n++;
	q->call = reply_later(reply, on_gone, q);
	q->helper = helper_call_new(r->helpers, &kind, j, q);
}

static void revisions_get(struct api *api, const char *id,
			  enum status_span span, struct reply *reply)
{
	const char *path = config_path(api->cfg.config);
	char *end = NULL, *name;
	unsigned long n = strtoul(id, &end, 10);

	(void)span;
	if (path == NULL) {
		reply_error(reply, 404, "there is no configuration file");
	} else if (id[0] != '\0' &&
		   (id[0] < '0' || id[0] > '9' || *end != '\0' ||
		    n > REVISIONS_MAX)) {
		reply_error(reply, 404, "there is no such revision");
	} else if (api->revisions->n == QUERIES_MAX) {
		reply_error(reply, 503, "too many clients wait for the disk");
	} else {
		name = revisions_path(path, (unsigned)n);
		ask(api->revisions, name, id[0] == '\0', reply);
		free(name);
	}
}

struct revisions_query *revisions_query_new(struct api *api)
{
	struct revisions_query *r = xcalloc(1, sizeof *r);

	r->helpers = helpers_new(api->cfg.loop, THREADS);
	LIST_INIT(&r->queries);
	return r;
}

void revisions_query_free(struct revisions_query **p)
{
	struct revisions_query *r = *p;
	struct query *q;

	*p = NULL;
	if (r == NULL)
		return;
	while ((q = LIST_FIRST(&r->queries)) != NULL)
		query_free(q);
	helpers_free(&r->helpers);
	free(r);
}

const struct api_path revisions_query_paths[] = {
	{ "api/revisions", PATH_MAYBE_ID, OBSERVER_HIDDEN,
	  .get = revisions_get },
	{ 0 },
};
