/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/pem_opener.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "common/loop/thread.h"

#include <ev.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/queue.h>

/* What the threads use.  The last user frees it: the opener, or a thread that
 * was left behind. */
struct shared {
	pthread_mutex_t lock;
	unsigned users; /* the opener and each thread */
	struct ev_loop *loop; /* NULL: the opener is gone */
	ev_async done;
};

struct pem_opener {
	struct shared *shared;
	LIST_HEAD(, pem_opening) list;
};

struct pem_opening {
	LIST_ENTRY(pem_opening) link;
	struct pem_opener *owner;
	struct shared *shared;
	char *chain, *key;
	pem_opened_fn *done;
	void *arg;
	pthread_t thread;
	/* the thread's until finished */
	struct pem_pair pair;
	struct errmsg error;
	int result;
	bool finished, cancelled; /* with the lock */
};

static void opening_free(struct pem_opening *p)
{
	pem_pair_close(&p->pair);
	free(p->chain);
	free(p->key);
	free(p);
}

/* With the lock, which it releases. */
static void unref(struct shared *s)
{
	bool last = --s->users == 0;

	(void)pthread_mutex_unlock(&s->lock);
	if (!last)
		return;
	(void)pthread_mutex_destroy(&s->lock);
	free(s);
}

static void *open_in_thread(void *arg)
{
	struct pem_opening *p = arg;
	struct shared *s = p->shared;
	bool cancelled;

	(void)pthread_detach(pthread_self());
	p->result = pem_pair_open(p->chain, p->key, &p->pair, &p->error);
	(void)pthread_mutex_lock(&s->lock);
	p->finished = true;
	cancelled = p->cancelled;
	if (!cancelled && s->loop != NULL)
		ev_async_send(s->loop, &s->done);
	if (cancelled)
		opening_free(p);
	unref(s);
	return NULL;
}

/* A finished request, no longer in the list, or NULL. */
static struct pem_opening *take_finished(struct pem_opener *o)
{
	struct pem_opening *p;

	(void)pthread_mutex_lock(&o->shared->lock);
	LIST_FOREACH(p, &o->list, link)
		if (p->finished)
			break;
	(void)pthread_mutex_unlock(&o->shared->lock);
	if (p != NULL)
		LIST_REMOVE(p, link);
	return p;
}

static void on_done(struct ev_loop *loop, ev_async *w, int revents)
{
	struct pem_opener *o = w->data;
	struct pem_opening *p = take_finished(o);
	struct pem_pair pair;

	(void)revents;
	if (p == NULL)
		return;
	/* the callback may free the opener: others in the next round */
	ev_feed_event(loop, w, EV_ASYNC);
	pair = p->pair;
	p->pair = (struct pem_pair){ -1, -1 };
	p->done(p->result, &pair, &p->error, p->arg);
	opening_free(p);
}

struct pem_opener *pem_opener_new(struct ev_loop *loop)
{
	struct pem_opener *o = xcalloc(1, sizeof *o);

	o->shared = xcalloc(1, sizeof *o->shared);
	(void)pthread_mutex_init(&o->shared->lock, NULL);
	o->shared->users = 1;
	o->shared->loop = loop;
	LIST_INIT(&o->list);
	ev_async_init(&o->shared->done, on_done);
	o->shared->done.data = o;
	ev_async_start(loop, &o->shared->done);
	return o;
}

void pem_opener_free(struct pem_opener **opener)
{
	struct pem_opener *o = *opener;
	struct pem_opening *p;

	*opener = NULL;
	if (o == NULL)
		return;
	while ((p = LIST_FIRST(&o->list)) != NULL)
		pem_opening_cancel(&p);
	(void)pthread_mutex_lock(&o->shared->lock);
	ev_async_stop(o->shared->loop, &o->shared->done);
	o->shared->loop = NULL;
	unref(o->shared);
	free(o);
}

struct pem_opening *pem_opening_new(struct pem_opener *o, const char *chain,
				    const char *key, pem_opened_fn *done,
				    void *arg)
{
	struct pem_opening *p = xcalloc(1, sizeof *p);
	int err;

	p->owner = o;
	p->shared = o->shared;
	p->chain = xstrdup(chain);
	p->key = xstrdup(key);
	p->done = done;
	p->arg = arg;
	p->pair = (struct pem_pair){ -1, -1 };
	(void)pthread_mutex_lock(&o->shared->lock);
	err = o->shared->users > PEM_THREADS_MAX
		      ? -1
		      : thread_start(&p->thread, open_in_thread, p);
	if (err == 0)
		o->shared->users++;
	(void)pthread_mutex_unlock(&o->shared->lock);
	if (err < 0) {
		opening_free(p);
		return NULL;
	}
	LIST_INSERT_HEAD(&o->list, p, link);
	return p;
}

void pem_opening_cancel(struct pem_opening **opening)
{
	struct pem_opening *p = *opening;
	struct shared *s;

	*opening = NULL;
	if (p == NULL)
		return;
	s = p->shared;
	LIST_REMOVE(p, link);
	(void)pthread_mutex_lock(&s->lock);
	p->cancelled = true;
	if (p->finished)
		opening_free(p);
	(void)pthread_mutex_unlock(&s->lock);
}
