/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/session_list.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/util.h"
#include "common/loop/timer.h"
#include "master/streams/session_format.h"

#include <errno.h>
#include <ev.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/queue.h>

enum {
	ANSWER_MS = 2000, /* time limit of the answer of a worker */
	/* pause between two pages: a page has up to 50 KB, and a channel allows
	 * 8 MiB per second */
	PAUSE_MS = 10,
};

TAILQ_HEAD(requests, session_wait);

struct session_wait {
	TAILQ_ENTRY(session_wait) link;
	struct requests *queue; /* the list with it: `waiting' or `served' */
	session_list_fn *done;
	void *arg;
};

struct session_list {
	struct session_list_config cfg;
	struct requests waiting; /* requests for the next list */
	struct requests served; /* requests for the present list */
	json_t *list; /* the list so far; NULL: none in progress */
	uint64_t end_ms; /* monotonic time at which the list must end */
	unsigned worker; /* number of the worker whose pages are requested */
	size_t n; /* entries of that worker so far */
	uint64_t after;
	uint32_t seq;
	bool asked; /* a page was requested, its answer has not arrived */
	ev_timer pause; /* runs between two pages */
	ev_timer limit; /* time limit of the answer */
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
	timer_start(l->cfg.loop, t, ms / 1e3);
}

/* --- clients that are one viewer --- */

struct row {
	uint64_t session;
	json_t *item;
};

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->session > y->session) - (x->session < y->session);
}

/* Merges the number `key' of item into `into': the sum of both if sum is true,
 * else the greater one. */
static void merge_number(json_t *into, const json_t *item, const char *key,
			 bool sum)
{
	json_int_t a = json_integer_value(json_object_get(into, key));
	json_int_t b = json_integer_value(json_object_get(item, key));

	if (b > 0)
		(void)json_object_set_new(into, key,
					  json_integer(sum ? a + b
							   : MAX(a, b)));
}

/* Unites the clients that are one viewer: returns a list with one entry for
 * each session, sorted by number, a new reference. */
static json_t *unite(const struct session_list *l)
{
	size_t n = json_array_size(l->list);
	struct row *rows = xcalloc(n + 1, sizeof *rows);
	json_t *list = json_array(), *last = NULL;

	for (size_t i = 0; i < n; i++) {
		json_t *item = json_array_get(l->list, i);
		uint64_t client = (uint64_t)json_integer_value(
			json_object_get(item, "client_id"));

		rows[i] = (struct row){
			l->cfg.session_of(client, l->cfg.arg), item };
	}
	qsort(rows, n, sizeof *rows, compare_rows);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && rows[i].session == rows[i - 1].session) {
			merge_number(last, rows[i].item, "bytes", true);
			merge_number(last, rows[i].item, "uptime", false);
			continue;
		}
		last = rows[i].item;
		(void)json_object_set_new(
			last, "client_id",
			json_integer((json_int_t)rows[i].session));
		(void)json_array_append(list, last);
	}
	free(rows);
	return list;
}

/* Ends a list: sends it to the requests, or NULL if it failed (ok false). */
static void finish(struct session_list *l, bool ok)
{
	json_t *list = l->list;

	/* also with one worker: clients of a worker that has ended may be one
	 * viewer with clients of this worker */
	if (ok && l->cfg.session_of != NULL) {
		list = unite(l);
		json_decref(l->list);
	}
	ev_timer_stop(l->cfg.loop, &l->limit);
	l->list = NULL;
	l->asked = false;
	send_list(&l->served, ok ? list : NULL);
	json_decref(list);
	if (!TAILQ_EMPTY(&l->waiting))
		wait(l, &l->pause, PAUSE_MS);
}

/* --- the workers --- */

static void next_worker(struct session_list *l)
{
	l->worker++;
	l->after = 0;
	l->n = 0;
}

/* Removes the viewers of a worker that has ended, because they are
 * disconnected. */
static void drop_worker(struct session_list *l, unsigned worker)
{
	json_t *list = json_array(), *item;
	size_t i;

	json_array_foreach(l->list, i, item)
		if (msg_deliver_of((uint64_t)json_integer_value(json_object_get(
			    item, "client_id"))) != worker)
			(void)json_array_append(list, item);
	json_decref(l->list);
	l->list = list;
}

static void ask(struct session_list *l)
{
	struct session_wait *w;

	if (l->list == NULL) {
		TAILQ_FOREACH(w, &l->waiting, link)
			w->queue = &l->served;
		TAILQ_CONCAT(&l->served, &l->waiting, link);
		l->list = json_array();
		l->worker = 0;
		l->after = 0;
		l->n = 0;
		l->end_ms = mono_ms() + SESSION_LIST_MS;
	}
	/* ends a list that no client waits for, or that takes too long */
	if (TAILQ_EMPTY(&l->served) || mono_ms() >= l->end_ms) {
		finish(l, false);
		return;
	}
	l->seq = l->seq < UINT32_MAX ? l->seq + 1 : 1;
	while (l->worker < MSG_DELIVER_MAX &&
	       l->cfg.ask(l->worker, l->after, l->seq, l->cfg.arg) < 0) {
		if (l->after > 0)
			drop_worker(l, l->worker);
		next_worker(l);
	}
	l->asked = l->worker < MSG_DELIVER_MAX;
	if (l->asked)
		wait(l, &l->limit, ANSWER_MS);
	else
		finish(l, true);
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
	if (cfg->worker_max == 0)
		l->cfg.worker_max = SESSION_WORKER_MAX;
	if (cfg->max == 0)
		l->cfg.max = SESSION_LIST_MAX;
	TAILQ_INIT(&l->waiting);
	TAILQ_INIT(&l->served);
	ev_init(&l->pause, on_pause);
	ev_init(&l->limit, on_limit);
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
			const struct session_page *p, struct errmsg *error)
{
	const struct msg_deliver_sessions *page = p->sessions;

	if (!l->asked || p->worker != l->worker || p->seq != l->seq)
		return 0; /* too late: the list has ended */
	if (page->n > 0 && page->list[0].client <= l->after)
		return errmsg_fail(error, -EPROTO, "the list of viewers does "
				   "not continue behind client %" PRIu64,
				   l->after);
	if (l->n + page->n > l->cfg.worker_max)
		return errmsg_fail(error, -EPROTO, "the list of viewers has "
				   "more than %zu", l->cfg.worker_max);
	if (json_array_size(l->list) + page->n > l->cfg.max) {
		log_warning("deliver", "viewers are not listed: the workers "
			    "have more than %zu", l->cfg.max);
		finish(l, false);
		return 0;
	}
	l->n += page->n;
	l->asked = false;
	ev_timer_stop(l->cfg.loop, &l->limit);
	for (size_t i = 0; i < page->n; i++)
		(void)json_array_append_new(l->list,
					    session_format(&page->list[i]));
	if (page->more) {
		l->after = page->list[page->n - 1].client;
		wait(l, &l->pause, PAUSE_MS);
		return 0;
	}
	next_worker(l);
	ask(l);
	return 0;
}

void session_list_down(struct session_list *l, unsigned worker)
{
	if (l->list == NULL)
		return;
	drop_worker(l, worker);
	if (worker != l->worker)
		return;
	ev_timer_stop(l->cfg.loop, &l->pause);
	ev_timer_stop(l->cfg.loop, &l->limit);
	l->asked = false;
	next_worker(l);
	ask(l);
}
