/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/document/reader.h"

#include "common/base/alloc.h"
#include "common/loop/thread.h"
#include "common/base/util.h"
#include "common/document/document.h"

#include <errno.h>
#include <ev.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

struct wish {
	STAILQ_ENTRY(wish) link;
	reader_done_fn *done;
	void *arg;
};

STAILQ_HEAD(wishes, wish);

struct reader {
	struct ev_loop *loop;
	char *path;
	ev_async done;
	struct wishes waiting; /* requests for the next read */
	struct wishes served;  /* requests for the running read */

	/* the thread has these while reading is true */
	bool reading;
	pthread_t thread;
	int result;
	json_t *document;
	struct errmsg error;
	atomic_bool finished;

	pthread_mutex_t end;
	bool left; /* the thread is left behind: the loop is gone */
};

static void *read_in_thread(void *arg)
{
	struct reader *r = arg;

	r->result = document_load(r->path, &r->document, &r->error);
	(void)pthread_mutex_lock(&r->end);
	atomic_store(&r->finished, true);
	if (!r->left)
		ev_async_send(r->loop, &r->done);
	(void)pthread_mutex_unlock(&r->end);
	return NULL;
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

static void on_done(struct ev_loop *loop, ev_async *w, int revents)
{
	struct reader *r = container_of(w, struct reader, done);
	int err;

	(void)loop, (void)revents;
	if (r->reading && atomic_load(&r->finished)) {
		(void)pthread_join(r->thread, NULL);
		r->reading = false;
		report(&r->served, r->result, r->document, &r->error);
		json_decref(r->document);
		r->document = NULL;
	}
	if (r->reading || STAILQ_EMPTY(&r->waiting))
		return;
	STAILQ_CONCAT(&r->served, &r->waiting);
	atomic_store(&r->finished, false);
	r->document = NULL;
	r->error.text[0] = '\0';
	err = thread_start(&r->thread, read_in_thread, r);
	r->reading = err == 0;
	if (err < 0) {
		errmsg_set(&r->error, "no thread: %s", strerror(-err));
		report(&r->served, err, NULL, &r->error);
	}
}

struct reader *reader_new(struct ev_loop *loop, const char *path)
{
	struct reader *r = xcalloc(1, sizeof *r);

	r->loop = loop;
	r->path = xstrdup(path);
	(void)pthread_mutex_init(&r->end, NULL);
	STAILQ_INIT(&r->waiting);
	STAILQ_INIT(&r->served);
	ev_async_init(&r->done, on_done);
	ev_async_start(loop, &r->done);
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
	ev_async_stop(r->loop, &r->done);
	if (r->reading && !thread_join(r->thread)) {
		/* The disk does not answer.  The thread still uses the memory,
		 * which is left to the exit, and must not touch the loop. */
		(void)pthread_mutex_lock(&r->end);
		r->left = true;
		(void)pthread_mutex_unlock(&r->end);
		return;
	}
	if (r->reading)
		json_decref(r->document);
	(void)pthread_mutex_destroy(&r->end);
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
	ev_feed_event(r->loop, &r->done, EV_ASYNC);
}
