/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/loop/helper.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "common/loop/thread.h"
#include "common/loop/timer.h"

#include <ev.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/queue.h>

enum { NO_THREAD_RETRY_MS = 1000 };

/* The last user of the helpers frees them: the owner, or a thread that was left
 * behind. */
struct helpers {
	unsigned threads_max;
	/* used by the thread of the loop only */
	TAILQ_HEAD(, helper_call) calls;
	ev_timer retry;
	ev_async done;
	pthread_mutex_t lock;
	unsigned users; /* the owner and each thread */
	LIST_HEAD(, helper_call) running; /* protected by the lock */
	struct ev_loop *loop; /* NULL: the owner is gone */
};

struct helper_call {
	TAILQ_ENTRY(helper_call) link;
	struct helpers *owner;
	const struct helper_kind *kind;
	void *job; /* belongs to the thread from started to finished */
	void *arg;
	/* in the list from started to finished */
	LIST_ENTRY(helper_call) running;
	bool started;
	bool finished, cancelled; /* protected by the lock */
};

static void call_free(struct helper_call *c)
{
	c->kind->free(c->job);
	free(c);
}

/* Releases a user of the helpers and the lock, which the caller holds.  The
 * last user frees the helpers. */
static void unref(struct helpers *h)
{
	bool last = --h->users == 0;

	(void)pthread_mutex_unlock(&h->lock);
	if (!last)
		return;
	(void)pthread_mutex_destroy(&h->lock);
	free(h);
}

static void *run_in_thread(void *arg)
{
	struct helper_call *c = arg;
	struct helpers *h = c->owner;
	bool cancelled;

	(void)pthread_detach(pthread_self());
	c->kind->run(c->job);
	(void)pthread_mutex_lock(&h->lock);
	c->finished = true;
	LIST_REMOVE(c, running);
	cancelled = c->cancelled;
	if (h->loop != NULL)
		ev_async_send(h->loop, &h->done);
	if (cancelled)
		call_free(c);
	unref(h);
	return NULL;
}

/* Does a thread work on the same file as this call?  The caller holds the
 * lock. */
static bool is_held(const struct helpers *h, const struct helper_call *c)
{
	const struct helper_call *r;

	LIST_FOREACH(r, &h->running, running)
		if (r->kind == c->kind && c->kind->is_same != NULL &&
		    c->kind->is_same(r->job, c->job))
			return true;
	return false;
}

/* Starts waiting calls while threads are free. */
static void pump(struct helpers *h)
{
	struct helper_call *c;
	pthread_t thread;
	int err = 0;

	(void)pthread_mutex_lock(&h->lock);
	TAILQ_FOREACH(c, &h->calls, link) {
		if (c->started || is_held(h, c))
			continue;
		if (h->users > h->threads_max)
			break;
		err = thread_start(&thread, run_in_thread, c);
		c->started = err == 0;
		if (err < 0)
			break;
		h->users++;
		LIST_INSERT_HEAD(&h->running, c, running);
	}
	(void)pthread_mutex_unlock(&h->lock);
	if (err < 0)
		timer_ensure(h->loop, &h->retry, NO_THREAD_RETRY_MS / 1e3);
}

static void on_retry(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop, (void)revents;
	pump(container_of(t, struct helpers, retry));
}

/* Takes a finished call out of the list; NULL: there is none. */
static struct helper_call *take_finished(struct helpers *h)
{
	struct helper_call *c;

	(void)pthread_mutex_lock(&h->lock);
	TAILQ_FOREACH(c, &h->calls, link)
		if (c->finished)
			break;
	(void)pthread_mutex_unlock(&h->lock);
	if (c != NULL)
		TAILQ_REMOVE(&h->calls, c, link);
	return c;
}

static void on_done(struct ev_loop *loop, ev_async *w, int revents)
{
	struct helpers *h = container_of(w, struct helpers, done);
	struct helper_call *c = take_finished(h);

	(void)revents;
	pump(h);
	if (c == NULL)
		return;
	/* done() may free the helpers, so the other finished calls are reported
	 * in the next event */
	ev_feed_event(loop, w, EV_ASYNC);
	c->kind->done(c->job, c->arg);
	call_free(c);
}

struct helpers *helpers_new(struct ev_loop *loop, unsigned threads_max)
{
	struct helpers *h = xcalloc(1, sizeof *h);

	h->threads_max = threads_max;
	TAILQ_INIT(&h->calls);
	LIST_INIT(&h->running);
	(void)pthread_mutex_init(&h->lock, NULL);
	h->users = 1;
	h->loop = loop;
	ev_init(&h->retry, on_retry);
	ev_async_init(&h->done, on_done);
	ev_async_start(loop, &h->done);
	return h;
}

void helpers_free(struct helpers **helpers)
{
	struct helpers *h = *helpers;
	struct helper_call *c;

	*helpers = NULL;
	if (h == NULL)
		return;
	while ((c = TAILQ_FIRST(&h->calls)) != NULL)
		helper_call_cancel(&c);
	ev_timer_stop(h->loop, &h->retry);
	(void)pthread_mutex_lock(&h->lock);
	ev_async_stop(h->loop, &h->done);
	h->loop = NULL;
	unref(h);
}

struct helper_call *helper_call_new(struct helpers *h,
				    const struct helper_kind *kind,
				    void *take_job, void *arg)
{
	struct helper_call *c = xcalloc(1, sizeof *c);

	c->owner = h;
	c->kind = kind;
	c->job = take_job;
	c->arg = arg;
	TAILQ_INSERT_TAIL(&h->calls, c, link);
	pump(h);
	return c;
}

void helper_call_cancel(struct helper_call **call)
{
	struct helper_call *c = *call;
	struct helpers *h;

	*call = NULL;
	if (c == NULL)
		return;
	h = c->owner;
	TAILQ_REMOVE(&h->calls, c, link);
	(void)pthread_mutex_lock(&h->lock);
	c->cancelled = true;
	if (c->finished || !c->started)
		call_free(c);
	(void)pthread_mutex_unlock(&h->lock);
}
