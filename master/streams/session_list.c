/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/session_list.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/base/util.h"
#include "master/streams/session_format.h"

#include <errno.h>
#include <ev.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/queue.h>

enum {
	ANSWER_MS = 2000, /* limit of an answer */
	/* a page has up to 50 KB, and a channel allows 8 MiB per second */
	PAUSE_MS = 10,
};

TAILQ_HEAD(requests, session_wait);

struct session_wait {
	TAILQ_ENTRY(session_wait) link;
	struct requests *queue; /* that has it */
	session_list_fn *done;
	void *arg;
};

struct session_list {
	struct session_list_config cfg;
	struct requests waiting; /* requests for the next list */
	struct requests served; /* requests for the present list */
	json_t *list; /* NULL: none in progress */
	uint64_t end_ms; /* time limit of the list */
	uint64_t after;
	uint32_t seq;
	bool asked; /* an answer is awaited */
	ev_timer pause; /* between two pages */
	ev_timer limit; /* time limit of an answer */
};

static void send_list(struct requests *requests, const json_t *list)
{
	struct session_wait *w;

	while ((w = TAILQ_FIRST(requests)) != NULL) {
		TAILQ_REMOVE(requests, w, link);
		w->done(list, w->arg);
		free(w);
	}
}

static void wait(struct session_list *l, ev_timer *t, unsigned ms)
{
	ev_timer_stop(l->cfg.loop, t);
	ev_timer_set(t, ms / 1e3, 0);
	ev_timer_start(l->cfg.loop, t);
}

/* The list is complete, or failed. */
static void finish(struct session_list *l, bool ok)
{
	json_t *list = l->list;

	ev_timer_stop(l->cfg.loop, &l->limit);
	l->list = NULL;
	l->asked = false;
	send_list(&l->served, ok ? list : NULL);
	json_decref(list);
	if (!TAILQ_EMPTY(&l->waiting))
		wait(l, &l->pause, PAUSE_MS);
}

static void ask(struct session_list *l)
{
	struct session_wait *w;

	if (l->list == NULL) {
		TAILQ_FOREACH(w, &l->waiting, link)
			w->queue = &l->served;
		TAILQ_CONCAT(&l->served, &l->waiting, link);
		l->list = json_array();
		l->after = 0;
		l->end_ms = mono_ms() + SESSION_LIST_MS;
	}
	/* no page is requested for clients that have left, or without an end */
	if (TAILQ_EMPTY(&l->served) || mono_ms() >= l->end_ms) {
		finish(l, false);
		return;
	}
	l->asked = true;
	l->seq = l->seq < UINT32_MAX ? l->seq + 1 : 1;
	wait(l, &l->limit, ANSWER_MS);
	if (l->cfg.ask(l->after, l->seq, l->cfg.arg) < 0)
		session_list_down(l);
}

static void on_pause(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop, (void)revents;
	ask(container_of(t, struct session_list, pause));
}

static void on_limit(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop, (void)revents;
	finish(container_of(t, struct session_list, limit), false);
}

struct session_list *session_list_new(const struct session_list_config *cfg)
{
	struct session_list *l = xcalloc(1, sizeof *l);

	l->cfg = *cfg;
	TAILQ_INIT(&l->waiting);
	TAILQ_INIT(&l->served);
	ev_timer_init(&l->pause, on_pause, 0., 0.);
	ev_timer_init(&l->limit, on_limit, 0., 0.);
	return l;
}

void session_list_free(struct session_list **p)
{
	struct session_list *l = *p;

	*p = NULL;
	if (l == NULL)
		return;
	ev_timer_stop(l->cfg.loop, &l->pause);
	ev_timer_stop(l->cfg.loop, &l->limit);
	send_list(&l->served, NULL);
	send_list(&l->waiting, NULL);
	json_decref(l->list);
	free(l);
}

struct session_wait *session_list_get(struct session_list *l,
				      session_list_fn *done, void *arg)
{
	struct session_wait *w = xcalloc(1, sizeof *w);

	w->queue = &l->waiting;
	w->done = done;
	w->arg = arg;
	TAILQ_INSERT_TAIL(&l->waiting, w, link);
	/* done is only called from the loop */
	if (l->list == NULL && !ev_is_active(&l->pause))
		wait(l, &l->pause, 0);
	return w;
}

void session_list_forget(struct session_wait **p)
{
	struct session_wait *w = *p;

	*p = NULL;
	if (w == NULL)
		return;
	TAILQ_REMOVE(w->queue, w, link);
	free(w);
}

int session_list_answer(struct session_list *l,
			const struct msg_deliver_sessions *page, uint32_t seq,
			struct errmsg *error)
{
	if (!l->asked || seq != l->seq)
		return 0; /* too late */
	if (page->n > 0 && page->list[0].client <= l->after)
		return errmsg_fail(error, -EPROTO, "the list of viewers does "
				   "not continue behind client %" PRIu64,
				   l->after);
	if (json_array_size(l->list) + page->n > SESSION_LIST_MAX)
		return errmsg_fail(error, -EPROTO, "the list of viewers has "
				   "more than %d", SESSION_LIST_MAX);
	l->asked = false;
	ev_timer_stop(l->cfg.loop, &l->limit);
	for (size_t i = 0; i < page->n; i++)
		(void)json_array_append_new(l->list,
					    session_format(&page->list[i]));
	if (!page->more) {
		finish(l, true);
		return 0;
	}
	l->after = page->list[page->n - 1].client;
	wait(l, &l->pause, PAUSE_MS);
	return 0;
}

void session_list_down(struct session_list *l)
{
	if (l->list == NULL)
		return;
	ev_timer_stop(l->cfg.loop, &l->pause);
	(void)json_array_clear(l->list);
	finish(l, true);
}
