/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/feeds.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"
#include "master/streams/feed_report.h"
#include "master/streams/mpts.h"
#include "master/streams/stream_index.h"
#include "proto/spec/io_spec.h"

#include <stdlib.h>
#include <string.h>

struct feed {
	struct feeds *all;
	struct stream_proc *proc;
	char *mpts;
	unsigned position;
	struct feed_report report;
	/* texts that feeds_add_faults() returns */
	struct errmsg alarm, fault;
};

struct feeds {
	struct feeds_config cfg;
	size_t n, room;
	struct feed **list; /* in the order of their making */
	struct stream_index index;
};

/* --- reports of a feed --- */

static void on_status(const char *link, const struct msg_stream_status *m,
		      void *arg)
{
	struct feed *f = arg;

	(void)link;
	feed_report_add(&f->report, m);
}

static void on_switched(const char *link, const struct msg_stream_switched *m,
			void *arg)
{
	/* a switch to the filler and back is no event of the mpts */
	(void)link, (void)m, (void)arg;
}

static void on_down(const char *link, const char *failure, void *arg)
{
	struct feed *f = arg;

	(void)link, (void)failure;
	feed_report_clear(&f->report);
}

static void on_demand(struct stream_proc *p, void *arg)
{
	const struct feed *f = arg;

	f->all->cfg.on_demand(p, f->all->cfg.arg);
}

static void on_ring(struct stream_proc *p, void *arg)
{
	const struct feed *f = arg;

	f->all->cfg.on_ring(stream_proc_id(p), f->all->cfg.arg);
}

static int ring_of(const char *stream, void *arg)
{
	const struct feed *f = arg;

	return f->all->cfg.ring_of(stream, f->all->cfg.arg);
}

static void drop(struct feed *f)
{
	struct feeds *all = f->all;
	size_t i = 0;

	stream_index_remove(&all->index, f->proc);
	while (all->list[i] != f)
		i++;
	memmove(&all->list[i], &all->list[i + 1],
		(--all->n - i) * sizeof *all->list);
	stream_proc_free(&f->proc);
	feed_report_clear(&f->report);
	free(f->mpts);
	free(f);
}

static void on_gone(struct stream_proc *p, void *arg)
{
	struct feed *f = arg;
	struct feeds *all = f->all;

	if (stream_proc_is_removed(p))
		drop(f);
	all->cfg.on_gone(all->cfg.arg);
}

static const struct stream_proc_events feed_events = {
	.on_status = on_status,
	.on_switched = on_switched,
	.on_down = on_down,
	.on_demand = on_demand,
	.on_ring = on_ring,
	.ring_of = ring_of,
	.on_gone = on_gone,
};

/* --- the list --- */

struct feeds *feeds_new(const struct feeds_config *cfg)
{
	struct feeds *f = xcalloc(1, sizeof *f);

	f->cfg = *cfg;
	return f;
}

void feeds_free(struct feeds **p)
{
	struct feeds *f = *p;

	*p = NULL;
	if (f == NULL)
		return;
	while (f->n > 0)
		drop(f->list[0]);
	stream_index_free(&f->index);
	free(f->list);
	free(f);
}

static struct feed *add(struct feeds *all, const char *mpts, unsigned position)
{
	struct stream_proc_config cfg = all->cfg.proc;
	struct feed *f = xcalloc(1, sizeof *f);
	char link[IO_FEED_MAX + 1];

	if (all->n == all->room) {
		all->room = MAX(2 * all->room, (size_t)16);
		all->list = xrealloc(all->list,
				     all->room * sizeof *all->list);
	}
	f->all = all;
	f->mpts = xstrdup(mpts);
	f->position = position;
	cfg.feed = true;
	cfg.events = &feed_events;
	cfg.arg = f;
	mpts_link(mpts, position, link);
	f->proc = stream_proc_new(&cfg, link);
	stream_index_add(&all->index, f->proc);
	all->list[all->n++] = f;
	return f;
}

struct stream_proc *feeds_get(struct feeds *all, const char *mpts,
			      unsigned position)
{
	char link[IO_FEED_MAX + 1];
	struct stream_proc *p;

	mpts_link(mpts, position, link);
	p = feeds_find(all, link);
	return p != NULL ? p : add(all, mpts, position)->proc;
}

struct stream_proc *feeds_find(const struct feeds *all, const char *link)
{
	return stream_index_find(&all->index, link);
}

struct stream_proc *feeds_active(const struct feeds *all, const char *mpts,
				 unsigned position)
{
	char link[IO_FEED_MAX + 1];
	struct stream_proc *p;

	mpts_link(mpts, position, link);
	p = feeds_find(all, link);
	return p != NULL && !stream_proc_is_removed(p) ? p : NULL;
}

struct stream_proc *feeds_at(const struct feeds *all, size_t i)
{
	return i < all->n ? all->list[i]->proc : NULL;
}

static bool is_of(const struct feed *f, const char *mpts)
{
	return strcmp(f->mpts, mpts) == 0 && !stream_proc_is_removed(f->proc);
}

bool feeds_has(const struct feeds *all, const char *mpts)
{
	size_t i = 0;

	while (i < all->n && !is_of(all->list[i], mpts))
		i++;
	return i < all->n;
}

void feeds_rename(struct feeds *all, const char *from, const char *to)
{
	char link[IO_FEED_MAX + 1];

	for (size_t i = 0; i < all->n; i++) {
		struct feed *f = all->list[i];

		if (!is_of(f, from))
			continue;
		free(f->mpts);
		f->mpts = xstrdup(to);
		mpts_link(to, f->position, link);
		stream_index_remove(&all->index, f->proc);
		stream_proc_rename(f->proc, link);
		stream_index_add(&all->index, f->proc);
	}
}

void feeds_restart(struct feeds *all, const char *mpts)
{
	for (size_t i = 0; i < all->n; i++)
		if (is_of(all->list[i], mpts))
			stream_proc_restart(all->list[i]->proc);
}

/* --- in the status of the mpts --- */

static struct feed *find_feed(struct feeds *all, const char *mpts,
			      unsigned position)
{
	const struct stream_proc *p = feeds_active(all, mpts, position);
	size_t i = 0;

	while (p != NULL && all->list[i]->proc != p)
		i++;
	return p != NULL ? all->list[i] : NULL;
}

/* Replaces the alarm changes that the multiplex reports of this input (the ring
 * of the feed) by those that the feed reports of its source. */
static void replace_changes(const struct feed_report *f, unsigned position,
			    struct msg_stream_status *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_changes; i++)
		if (s->changes[i].place != position)
			s->changes[n++] = s->changes[i];
	for (size_t i = 0; i < f->n_changes && n < MSG_CHANGES_MAX; i++) {
		s->changes[n] = f->changes[i];
		s->changes[n++].place = position;
	}
	s->n_changes = n;
}

/* Replaces the report of the multiplex about an input (the ring of the feed) by
 * the report of the feed about its source. */
static void replace_input(const struct feed *f, struct msg_input_status *in)
{
	const struct msg_input_status of_ring = *in;
	struct stream_proc_info info;

	stream_proc_get(f->proc, &info);
	*in = f->report.input;
	in->position = of_ring.position;
	in->active = of_ring.active;
	in->state = f->report.heard ? in->state : of_ring.state;
	if (in->reason == NULL)
		in->reason = "";
	if (info.fault != NULL) {
		in->error = info.fault;
		in->open = in->onair = false;
	} else if (!f->report.heard) {
		in->error = "starting";
	} else if (in->error == NULL && in->onair && !of_ring.onair) {
		/* the multiplex does not receive what the feed receives */
		in->error = of_ring.error;
		in->onair = false;
	}
}

static void report_filler(const struct feed *f, struct msg_stream_status *s)
{
	const char *filler = stream_proc_filler(f->proc);

	if (filler != NULL)
		feed_report_filler(&f->report, f->position,
				   strcmp(filler, "still") == 0
					   ? SERVICE_FILLER_STILL
					   : SERVICE_FILLER_FILE,
				   s);
}

void feeds_report(struct feeds *all, const char *mpts,
		  struct msg_stream_status *s)
{
	for (size_t i = 0; i < s->n_inputs; i++) {
		struct feed *f = find_feed(all, mpts, s->inputs[i].position);

		if (f == NULL)
			continue;
		replace_input(f, &s->inputs[i]);
		replace_changes(&f->report, f->position, s);
		report_filler(f, s);
		feed_report_taken(&f->report);
	}
}

void feeds_add_faults(struct feeds *all, const char *mpts,
		      struct stream_proc_info *ret)
{
	for (size_t i = 0; i < all->n; i++) {
		struct feed *f = all->list[i];
		struct stream_proc_info info;

		if (!is_of(f, mpts))
			continue;
		stream_proc_get(f->proc, &info);
		ret->restarts += info.restarts;
		if (info.alarm != NULL && ret->alarm == NULL) {
			errmsg_set(&f->alarm, "input %u: %s", f->position,
				   info.alarm);
			ret->alarm = f->alarm.text;
		}
		if (info.fault != NULL && ret->fault == NULL) {
			errmsg_set(&f->fault, "input %u: %s", f->position,
				   info.fault);
			ret->fault = f->fault.text;
		}
	}
}

/* --- from master to master --- */

json_t *feeds_write(struct feeds *all, struct handover *h)
{
	json_t *list = json_array();

	for (size_t i = 0; i < all->n; i++) {
		const struct feed *f = all->list[i];
		json_t *record;

		if (stream_proc_is_removed(f->proc))
			continue;
		record = stream_proc_write(f->proc, h);
		(void)json_object_set_new(record, "mpts", json_string(f->mpts));
		(void)json_object_set_new(record, "position",
					  json_integer(f->position));
		(void)json_array_append_new(list, record);
	}
	return list;
}

void feeds_adopt(struct feeds *all, const json_t *records, struct handover *h)
{
	const json_t *record;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)records, i, record) {
		const char *mpts = json_string_value(
			json_object_get(record, "mpts"));
		json_int_t position = json_integer_value(
			json_object_get(record, "position"));

		if (mpts != NULL && strlen(mpts) <= IO_ID_MAX &&
		    position >= 1 && position <= MSG_INPUTS_MAX &&
		    feeds_active(all, mpts, (unsigned)position) == NULL)
			stream_proc_adopt(
				add(all, mpts, (unsigned)position)->proc,
				record, h);
	}
}
