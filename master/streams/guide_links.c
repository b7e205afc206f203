/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/guide_links.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/loop/timer.h"
#include "master/streams/epg_proc.h"
#include "proto/spec/io_spec.h"
#include "proto/spec/stream_spec.h"

#include <errno.h>
#include <ev.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum {
	/* Seconds after which a failed question is repeated.  Each further
	 * failure doubles the time, AGAIN_SHIFTS times at most (64 s). */
	AGAIN_S = 2,
	AGAIN_SHIFTS = 5,
};

/* The events of the stream `source' for the EIT of the stream `stream', which
 * may be the same one. */
struct guide_link {
	TAILQ_ENTRY(guide_link) link;
	char *stream; /* id of the stream whose worker sends the EIT */
	char *source; /* id of the stream whose guide has the events */
	/* position of the input of a multiplex that reads `source', from 1; 0:
	 * no input */
	unsigned place;
	bool other;
	unsigned textcode;
	char country[4];
	bool events; /* false: only the services, without events */
	bool stale, wanted;
	unsigned failures; /* consecutive failures */
	uint64_t again_ms; /* mono_ms() of the next question */
	uint64_t hash;
	size_t len; /* bytes of the events; 0: none received yet */
	int fd;
};

struct guide_links {
	struct guide_links_config cfg;
	TAILQ_HEAD(, guide_link) list;
	/* if asking: the link of the open question; NULL: it was dropped */
	struct guide_link *asked;
	bool asking;
	ev_timer again;
};

/* --- questions --- */

static void ask_next(struct guide_links *g);

static void give(const struct guide_links *g, const struct guide_link *l)
{
	const struct msg_stream_guide m = {
		.place = l->place,
		.stream = l->other ? l->source : "",
		.len = (uint32_t)l->len,
	};

	if (l->len > 0)
		g->cfg.send(l->stream, &m, l->fd, g->cfg.arg);
}

static void on_again(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop, (void)revents;
	ask_next(container_of(t, struct guide_links, again));
}

static void ask_after(struct guide_links *g, uint64_t pause_ms)
{
	timer_start(g->cfg.loop, &g->again, (double)pause_ms / 1e3);
}

/* A question has failed: repeats it after a pause, after the other links. */
static void fail(struct guide_links *g, struct guide_link *l,
		 const char *reason)
{
	unsigned pause_s = AGAIN_S << MIN(l->failures,
					  (unsigned)AGAIN_SHIFTS);

	if (l->failures == 0)
		log_warning("epg", "stream %s: cannot get the events of stream "
				   "%s for its own EIT: %s: the request is "
				   "repeated",
			    l->stream, l->source, reason);
	l->failures++;
	l->stale = true;
	l->again_ms = mono_ms() + UINT64_C(1000) * pause_s;
	TAILQ_REMOVE(&g->list, l, link);
	TAILQ_INSERT_TAIL(&g->list, l, link);
}

static void take(struct guide_links *g, struct guide_link *l,
		 const struct epg_answer *a)
{
	int fd;

	/* unchanged events: the worker of the stream has them already */
	if (l->len > 0 && l->hash == a->hash && l->len == a->len) {
		l->failures = 0;
		return;
	}
	fd = fcntl(a->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0) {
		fail(g, l, strerror(errno));
		return;
	}
	fd_close(&l->fd);
	l->failures = 0;
	l->fd = fd;
	l->len = a->len;
	l->hash = a->hash;
	give(g, l);
}

static void on_answer(const struct epg_answer *a, void *arg)
{
	struct guide_links *g = arg;
	struct guide_link *l = g->asked;

	g->asking = false;
	g->asked = NULL;
	if (l != NULL && a->len > 0)
		take(g, l, a);
	else if (l != NULL)
		fail(g, l, a->error);
	/* the guide's process is being replaced, or answers too late */
	if (a->len == 0)
		ask_after(g, 1000);
	else
		ask_next(g);
}

/* Returns the first link whose question is due now.  NULL: none is due, and
 * *ret_pause_ms is the time until the next one is; 0: no question is left. */
static struct guide_link *find_due(struct guide_links *g,
				   uint64_t *ret_pause_ms)
{
	uint64_t now_ms = mono_ms();
	struct guide_link *l;

	*ret_pause_ms = 0;
	TAILQ_FOREACH(l, &g->list, link) {
		uint64_t left = l->again_ms - now_ms;

		if (!l->stale)
			continue;
		if (l->again_ms <= now_ms)
			return l;
		*ret_pause_ms = *ret_pause_ms == 0 ? left
						   : MIN(*ret_pause_ms, left);
	}
	return NULL;
}

static void ask_next(struct guide_links *g)
{
	uint64_t pause_ms;
	struct guide_link *l;
	int r;

	if (g->asking)
		return;
	l = find_due(g, &pause_ms);
	if (l == NULL) {
		if (pause_ms > 0)
			ask_after(g, pause_ms);
		return;
	}
	g->asking = true;
	g->asked = l;
	l->stale = false;
	r = epg_proc_write_eit(g->cfg.epg, &(struct msg_epg_eit){
		l->source, l->textcode, l->country, l->events },
		on_answer, g);
	if (r == 0)
		return;
	g->asking = false;
	g->asked = NULL;
	l->stale = true;
	/* -ENOENT: there is no guide, so there is no further question */
	if (r != -ENOENT)
		ask_after(g, UINT64_C(1000) * AGAIN_S);
}

void guide_links_stale(struct guide_links *g, const char *source)
{
	struct guide_link *l;

	if (g == NULL)
		return;
	TAILQ_FOREACH(l, &g->list, link)
		if (source == NULL || strcmp(l->source, source) == 0) {
			l->stale = true;
			l->again_ms = 0;
		}
	ask_next(g);
}

void guide_links_up(struct guide_links *g, const char *stream)
{
	const struct guide_link *l;

	if (g == NULL)
		return;
	TAILQ_FOREACH(l, &g->list, link)
		if (strcmp(l->stream, stream) == 0)
			give(g, l);
}

void guide_links_network(struct guide_links *g, const char *stream)
{
	const struct guide_link *l;

	if (g == NULL)
		return;
	TAILQ_FOREACH(l, &g->list, link)
		if (l->other && strcmp(l->stream, stream) == 0)
			give(g, l);
}

/* --- the configuration --- */

static void drop(struct guide_links *g, struct guide_link *l)
{
	if (g->asked == l)
		g->asked = NULL;
	TAILQ_REMOVE(&g->list, l, link);
	fd_close(&l->fd);
	free(l->stream);
	free(l->source);
	free(l);
}

/* Returns the link with these four values; adds it if there is none. */
static struct guide_link *find(struct guide_links *g, const char *stream,
			       const char *source, unsigned place, bool other)
{
	struct guide_link *l;

	TAILQ_FOREACH(l, &g->list, link)
		if (l->place == place && l->other == other &&
		    strcmp(l->stream, stream) == 0 &&
		    strcmp(l->source, source) == 0)
			return l;
	l = xcalloc(1, sizeof *l);
	l->stream = xstrdup(stream);
	l->source = xstrdup(source);
	l->place = place;
	l->other = other;
	l->stale = true;
	l->fd = -1;
	TAILQ_INSERT_TAIL(&g->list, l, link);
	return l;
}

struct wish {
	const char *stream;
	const struct stream_spec *spec;
	bool events;
};

static void want(struct guide_links *g, const struct wish *w,
		 const char *source, unsigned place, bool other)
{
	struct guide_link *l = find(g, w->stream, source, place, other);
	const struct stream_spec *spec = w->spec;

	l->wanted = true;
	if (l->textcode == spec->remux.textcode && l->events == w->events &&
	    strcmp(l->country, spec->tables.country) == 0)
		return;
	l->textcode = spec->remux.textcode;
	l->events = w->events;
	memcpy(l->country, spec->tables.country, sizeof l->country);
	l->stale = true;
}

/* Marks the links of the streams that a multiplex reads as wanted, and makes
 * missing ones. */
static void want_inputs(struct guide_links *g, const struct wish *w,
			const json_t *inputs)
{
	struct input_spec *spec = xcalloc(1, sizeof *spec);
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)inputs, i, item)
		if (i < MSG_INPUTS_MAX && json_is_string(item) &&
		    input_spec_parse(json_string_value(item), spec, NULL, NULL,
				     NULL) == 0 &&
		    spec->kind == INPUT_STREAM &&
		    /* the guide does not read feeds */
		    strchr(spec->stream, '/') == NULL)
			want(g, w, spec->stream, (unsigned)i + 1, false);
	free(spec);
}

static void want_all(struct guide_links *g, const char *stream,
		     const struct stream_spec *spec, const json_t *object)
{
	const struct tables_spec *t = &spec->tables;
	struct wish w = { stream, spec, true };

	if (tables_spec_has_eit(t)) {
		want(g, &w, stream, 0, false);
		if (spec->mux_kbps != 0)
			want_inputs(g, &w, json_object_get(object, "input"));
	}
	/* without EIT other, the streams in others are only for NIT and SDT
	 * other, which need no events */
	w.events = t->eit_other != EIT_OTHER_PASS;
	for (size_t i = 0; i < t->n_others; i++)
		want(g, &w, t->others[i], 0, true);
}

void guide_links_set(struct guide_links *g, const char *stream,
		     const json_t *object)
{
	struct stream_spec *spec = xcalloc(1, sizeof *spec);
	struct guide_link *l, *next;
	struct errmsg error;

	TAILQ_FOREACH(l, &g->list, link)
		l->wanted &= strcmp(l->stream, stream) != 0;
	/* errors are ignored here: the worker of the stream reports them */
	(void)!stream_spec_parse(object, spec, &error);
	if (json_is_true(json_object_get(object, "enable")))
		want_all(g, stream, spec, object);
	for (l = TAILQ_FIRST(&g->list); l != NULL; l = next) {
		next = TAILQ_NEXT(l, link);
		if (!l->wanted)
			drop(g, l);
	}
	free(spec);
	ask_next(g);
}

void guide_links_remove(struct guide_links *g, const char *stream)
{
	struct guide_link *l, *next;

	for (l = g != NULL ? TAILQ_FIRST(&g->list) : NULL; l != NULL;
	     l = next) {
		next = TAILQ_NEXT(l, link);
		if (strcmp(l->stream, stream) == 0)
			drop(g, l);
	}
}

static void rename_one(char **id, const char *from, const char *to)
{
	if (strcmp(*id, from) != 0)
		return;
	free(*id);
	*id = xstrdup(to);
}

void guide_links_rename(struct guide_links *g, const char *from,
			const char *to)
{
	struct guide_link *l;

	if (g == NULL)
		return;
	TAILQ_FOREACH(l, &g->list, link) {
		rename_one(&l->stream, from, to);
		rename_one(&l->source, from, to);
	}
}

struct guide_links *guide_links_new(const struct guide_links_config *cfg)
{
	struct guide_links *g = xcalloc(1, sizeof *g);

	g->cfg = *cfg;
	TAILQ_INIT(&g->list);
	ev_init(&g->again, on_again);
	return g;
}

void guide_links_free(struct guide_links **p)
{
	struct guide_links *g = *p;

	*p = NULL;
	if (g == NULL)
		return;
	ev_timer_stop(g->cfg.loop, &g->again);
	while (!TAILQ_EMPTY(&g->list))
		drop(g, TAILQ_FIRST(&g->list));
	free(g);
}
