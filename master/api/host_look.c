/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/host_look.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/loop/helper.h"
#include "common/loop/timer.h"
#include "master/api/apply.h"
#include "master/api/call.h"
#include "master/config/check_host.h"

#include <ev.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum { LOOKS_MAX = 8, LIMIT_S = 2 };

struct look {
	LIST_ENTRY(look) link;
	struct host_looks *owner;
	struct helper_call *helper;
	struct call *call; /* NULL: it was answered, or the client has left */
	json_t *body;      /* of the answer; NULL: it was answered */
	char *id; /* NULL: the stream is not stored */
	ev_timer limit;
};

/* For the thread. */
struct job {
	json_t *stream; /* a copy */
	struct buf found; /* path, text, path … */
};

struct host_looks {
	struct api *api;
	struct helpers *helpers;
	LIST_HEAD(, look) list;
	unsigned n;
};

static void add(enum check_severity severity, const char *path,
		const char *text, void *arg)
{
	struct buf *found = arg;

	(void)severity;
	buf_append(found, path, strlen(path) + 1);
	buf_append(found, text, strlen(text) + 1);
}

static void job_run(void *job)
{
	struct job *j = job;

	(void)check_host_stream(j->stream, HOST_FILES, add, &j->found);
}

static void job_free(void *job)
{
	struct job *j = job;

	json_decref(j->stream);
	buf_done(&j->found);
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

struct host_looks *host_looks_new(struct api *api)
{
	struct host_looks *l = xcalloc(1, sizeof *l);

	l->api = api;
	l->helpers = helpers_new(api->cfg.loop, LOOKS_MAX);
	LIST_INIT(&l->list);
	return l;
}

void host_looks_free(struct host_looks **p)
{
	struct host_looks *l = *p;
	struct look *k;

	*p = NULL;
	if (l == NULL)
		return;
	while ((k = LIST_FIRST(&l->list)) != NULL)
		look_free(k);
	helpers_free(&l->helpers);
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

static void job_done(void *job, void *arg)
{
	struct job *j = job;
	struct look *k = arg;

	k->helper = NULL;
	answer(k, &j->found);
	look_free(k);
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
	static const struct helper_kind kind = {
		.run = job_run, .done = job_done, .free = job_free,
	};
	struct look *k;
	struct job *j;

	if (l->n == LOOKS_MAX || reply->status != 200)
		return;
	j = xcalloc(1, sizeof *j);
	j->stream = json_deep_copy(stream);
	k = xcalloc(1, sizeof *k);
	k->owner = l;
	k->id = id != NULL ? xstrdup(id) : NULL;
	ev_init(&k->limit, on_limit);
	timer_start(l->api->cfg.loop, &k->limit, LIMIT_S);
	LIST_INSERT_HEAD(&l->list, k, link);
	l->n++;
	k->helper = helper_call_new(l->helpers, &kind, j, k);
	k->body = json_incref(reply->body);
	reply_reset(reply);
	reply_later_into(reply, &k->call);
}
