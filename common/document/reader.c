/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/document/reader.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "common/document/document.h"
#include "common/loop/helper.h"

#include <errno.h>
#include <ev.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

struct wish {
	STAILQ_ENTRY(wish) link;
	uint64_t known;
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
	struct helper_call *reading; /* NULL: no read is running */
	uint64_t version;  /* see reader_version() */
	uint64_t versions; /* number of the newest content so far */
	/* digest of the last content; "": none */
	char digest[DOCUMENT_DIGEST_TEXT];
};

struct read_job {
	char *path;
	char digest[DOCUMENT_DIGEST_TEXT];
	int result;
	json_t *document; /* NULL: the file still has the content with digest */
	struct errmsg error;
};

static void job_run(void *job)
{
	struct read_job *j = job;

	j->result = document_load_changed(j->path, j->digest, &j->document,
					  &j->error);
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
	if (j->result < 0) {
		r->version = 0;
		r->digest[0] = '\0';
	} else if (j->digest[0] == '\0' || r->version == 0 ||
		   strcmp(r->digest, j->digest) != 0) {
		r->version = ++r->versions;
		memcpy(r->digest, j->digest, sizeof r->digest);
	}
	ev_feed_event(r->loop, &r->begin, EV_ASYNC);
	report(&r->served, j->result, j->document, &j->error);
}

static void on_begin(struct ev_loop *loop, ev_async *w, int revents)
{
	static const struct helper_kind kind = {
		.run = job_run, .done = job_done, .free = job_free,
	};
	struct reader *r = container_of(w, struct reader, begin);
	const struct wish *wish;
	struct read_job *j;
	bool known = true;

	(void)loop, (void)revents;
	if (r->reading != NULL || STAILQ_EMPTY(&r->waiting))
		return;
	/* the callers of all waiting requests have kept the last content */
	STAILQ_FOREACH(wish, &r->waiting, link)
		known = known && wish->known == r->version && wish->known != 0;
	STAILQ_CONCAT(&r->served, &r->waiting);
	j = xcalloc(1, sizeof *j);
	j->path = xstrdup(r->path);
	if (known)
		memcpy(j->digest, r->digest, sizeof j->digest);
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

uint64_t reader_version(const struct reader *r)
{
	return r->version;
}

const char *reader_digest(const struct reader *r)
{
	return r->digest;
}

void reader_read(struct reader *r, uint64_t known, reader_done_fn *done,
		 void *arg)
{
	struct wish *w = xcalloc(1, sizeof *w);

	w->known = known;
	w->done = done;
	w->arg = arg;
	STAILQ_INSERT_TAIL(&r->waiting, w, link);
	/* on_begin() starts the read, so that done is not called in here */
	ev_feed_event(r->loop, &r->begin, EV_ASYNC);
}
