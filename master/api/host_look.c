/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/host_look.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/loop/thread.h"
#include "master/api/apply.h"
#include "master/api/call.h"
#include "master/config/check_host.h"

#include <ev.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum { LOOKS_MAX = 8, LIMIT_S = 2 };

struct look {
	LIST_ENTRY(look) link;
	struct host_looks *owner;
	struct call *call; /* NULL: it was answered, or the client has left */
	json_t *body;      /* of the answer; NULL: it was answered */
	char *id;
	ev_async done;
	ev_timer limit;

	/* of the thread until finished is true */
	pthread_t thread;
	json_t *stream; /* a copy */
	struct buf found; /* path, text, path … */
	atomic_bool finished;

	pthread_mutex_t end;
	bool left; /* the thread is left behind: the loop is gone */
};

struct host_looks {
	struct api *api;
	LIST_HEAD(, look) list;
	unsigned n;
};

struct host_looks *host_looks_new(struct api *api)
{
	struct host_looks *l = xcalloc(1, sizeof *l);

	l->api = api;
	LIST_INIT(&l->list);
	return l;
}

static void add(enum check_severity severity, const char *path,
		const char *text, void *arg)
{
	struct buf *found = arg;

	(void)severity;
	buf_append(found, path, strlen(path) + 1);
	buf_append(found, text, strlen(text) + 1);
}

static void *look_in_thread(void *arg)
{
	struct look *k = arg;

	(void)check_host_stream(k->stream, HOST_FILES, add, &k->found);
	(void)pthread_mutex_lock(&k->end);
	atomic_store(&k->finished, true);
	if (!k->left)
		ev_async_send(k->owner->api->cfg.loop, &k->done);
	(void)pthread_mutex_unlock(&k->end);
	return NULL;
}

static void look_free(struct look *k)
{
	struct ev_loop *loop = k->owner->api->cfg.loop;

	ev_async_stop(loop, &k->done);
	ev_timer_stop(loop, &k->limit);
	LIST_REMOVE(k, link);
	k->owner->n--;
	json_decref(k->body);
	k->body = NULL;
	free(k->id);
	k->id = NULL;
}

/* Once the thread has ended. */
static void memory_free(struct look *k)
{
	json_decref(k->stream);
	buf_done(&k->found);
	(void)pthread_mutex_destroy(&k->end);
	free(k);
}

void host_looks_free(struct host_looks **p)
{
	struct host_looks *l = *p;
	struct look *k;

	*p = NULL;
	if (l == NULL)
		return;
	while ((k = LIST_FIRST(&l->list)) != NULL) {
		look_free(k);
		if (thread_join(k->thread)) {
			memory_free(k);
			continue;
		}
		/* the memory is left to the exit */
		(void)pthread_mutex_lock(&k->end);
		k->left = true;
		(void)pthread_mutex_unlock(&k->end);
	}
	free(l);
}

/* Sends the answer; warnings: NULL if none are known. */
static void answer(struct look *k, struct buf *warnings)
{
	struct call *call = k->call;
	struct reply *reply = call != NULL ? call_reply(call) : NULL;
	json_t *body = k->body;

	k->body = NULL;
	k->call = NULL;
	if (reply != NULL)
		reply_json(reply, body);
	else
		json_decref(body);
	if (warnings != NULL)
		apply_warn(k->owner->api, k->id, warnings, reply);
	if (call != NULL)
		call_finish(call);
}

static void on_done(struct ev_loop *loop, ev_async *w, int revents)
{
	struct look *k = container_of(w, struct look, done);

	(void)loop, (void)revents;
	if (!atomic_load(&k->finished))
		return;
	(void)pthread_join(k->thread, NULL);
	answer(k, &k->found);
	look_free(k);
	memory_free(k);
}

static void on_limit(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop, (void)revents;
	/* the log gets the warnings when the disk answers */
	answer(container_of(w, struct look, limit), NULL);
}

void host_look(struct host_looks *l, const char *id, const json_t *stream,
	       struct reply *reply)
{
	struct ev_loop *loop = l->api->cfg.loop;
	struct look *k;

	if (l->n == LOOKS_MAX || reply->status != 200)
		return;
	k = xcalloc(1, sizeof *k);
	k->owner = l;
	k->id = xstrdup(id);
	k->stream = json_deep_copy(stream);
	(void)pthread_mutex_init(&k->end, NULL);
	ev_async_init(&k->done, on_done);
	ev_timer_init(&k->limit, on_limit, LIMIT_S, 0.);
	ev_async_start(loop, &k->done);
	LIST_INSERT_HEAD(&l->list, k, link);
	l->n++;
	if (thread_start(&k->thread, look_in_thread, k) < 0) {
		look_free(k);
		memory_free(k);
		return;
	}
	ev_timer_start(loop, &k->limit);
	k->body = json_incref(reply->body);
	reply_reset(reply);
	reply_later_into(reply, &k->call);
}
