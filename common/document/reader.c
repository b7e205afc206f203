/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/document/reader.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "common/document/document.h"
#include "common/loop/helper.h"

#include <errno.h>
#include <ev.h>
#include <stdlib.h>
#include <sys/queue.h>

struct wish {
	STAILQ_ENTRY(wish) link;
	reader_done_fn *done;
	void *arg;
};

STAILQ_HEAD(wishes, wish);

struct reader {
	struct ev_loop *loop;
	struct helpers *helpers;
	char *path;
	ev_async begin;
	struct wishes waiting; /* requests for the next read */
	struct wishes served;  /* requests for the running read */
	struct helper_call *reading; /* NULL: no read */
};

struct read_job {
	char *path;
	int result;
	json_t *document;
	struct errmsg error;
};

static void job_run(void *job)
{
	struct read_job *j = job;

	j->result = document_load(j->path, &j->document, &j->error);
}

static void job_free(void *job)
{
	struct read_job *j = job;

	json_decref(j->document);
	free(j->path);
	free(j);
}

static void report(struct wishes *wishes, int result, const json_t *document,
		   const struct errmsg *error)
{
	struct wish *w;

	while ((w = STAILQ_FIRST(wishes)) != NULL) {
		STAILQ_REMOVE_HEAD(wishes, link);
		w->done(result, document, error, w->arg);
		free(w);
	}
}

static void job_done(void *job, void *arg)
{
	const struct read_job *j = job;
	struct reader *r = arg;

	r->reading = NULL;
	ev_feed_event(r->loop, &r->begin, EV_ASYNC);
	report(&r->served, j->result, j->document, &j->error);
}

static void on_begin(struct ev_loop *loop, ev_async *w, int revents)
{
	static const struct helper_kind kind = {
		.run = job_run, .done = job_done, .free = job_free,
	};
	struct reader *r = container_of(w, struct reader, begin);
	struct read_job *j;

	(void)loop, (void)revents;
	if (r->reading != NULL || STAILQ_EMPTY(&r->waiting))
		return;
	STAILQ_CONCAT(&r->served, &r->waiting);
	j = xcalloc(1, sizeof *j);
	j->path = xstrdup(r->path);
	r->reading = helper_call_new(r->helpers, &kind, j, r);
}

struct reader *reader_new(struct ev_loop *loop, const char *path)
{
	struct reader *r = xcalloc(1, sizeof *r);

	r->loop = loop;
	r->path = xstrdup(path);
	r->helpers = helpers_new(loop, 1);
	STAILQ_INIT(&r->waiting);
	STAILQ_INIT(&r->served);
	ev_async_init(&r->begin, on_begin);
	ev_async_start(loop, &r->begin);
	return r;
}

void reader_free(struct reader **p)
{
	static const struct errmsg ending = { "the service ends" };
	struct reader *r = *p;

	*p = NULL;
	if (r == NULL)
		return;
	report(&r->waiting, -ECANCELED, NULL, &ending);
	report(&r->served, -ECANCELED, NULL, &ending);
	ev_async_stop(r->loop, &r->begin);
	helpers_free(&r->helpers);
	free(r->path);
	free(r);
}

void reader_read(struct reader *r, reader_done_fn *done, void *arg)
{
	struct wish *w = xcalloc(1, sizeof *w);

	w->done = done;
	w->arg = arg;
	STAILQ_INSERT_TAIL(&r->waiting, w, link);
	/* from the loop: no callback in here */
	ev_feed_event(r->loop, &r->begin, EV_ASYNC);
}
