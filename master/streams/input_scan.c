/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/input_scan.h"

#include "common/base/alloc.h"
#include "common/supervise/worker_proc.h"
#include "proto/ipc/channel.h"

#include <errno.h>
#include <stdlib.h>

struct input_scan {
	LIST_ENTRY(input_scan) link;
	struct input_scans *owner; /* NULL: on_end was called */
	const struct input_scan_events *events;
	void *arg;
};

void input_scans_init(struct input_scans *l, struct worker_proc *worker)
{
	l->worker = worker;
	LIST_INIT(&l->list);
}

/* Requests the reports of the input at this position from the worker; position
 * 0 ends them.  Returns 0 or -errno.  begin: the worker reports every table
 * again. */
static int ask(const struct input_scans *l, unsigned position, bool begin)
{
	const struct msg m = { .type = MSG_STREAM_SCAN,
			       .stream_scan = { position, begin } };
	struct channel *channel = worker_proc_channel(l->worker);

	if (worker_proc_state(l->worker) != PROC_RUNNING || channel == NULL)
		return -ESRCH;
	return channel_send(channel, &m, NULL, 0);
}

struct input_scan *input_scan_start(struct input_scans *l, unsigned position,
				    const struct input_scan_events *events,
				    void *arg, int *ret_err)
{
	struct input_scan *s;

	*ret_err = -EBUSY;
	if (!LIST_EMPTY(&l->list) && position != l->position)
		return NULL;
	*ret_err = ask(l, position, true);
	if (*ret_err < 0)
		return NULL;
	s = xcalloc(1, sizeof *s);
	s->owner = l;
	s->events = events;
	s->arg = arg;
	l->position = position;
	LIST_INSERT_HEAD(&l->list, s, link);
	return s;
}

void input_scan_keep(struct input_scan *s)
{
	if (s->owner != NULL)
		(void)ask(s->owner, s->owner->position, false);
}

void input_scan_free(struct input_scan **sp)
{
	struct input_scan *s = *sp;

	*sp = NULL;
	if (s == NULL)
		return;
	if (s->owner != NULL) {
		LIST_REMOVE(s, link);
		if (LIST_EMPTY(&s->owner->list))
			(void)ask(s->owner, 0, false);
	}
	free(s);
}

void input_scans_record(struct input_scans *l,
			const struct msg_stream_record *m)
{
	struct input_scan *s;

	/* a late record for another input, whose requests have ended */
	if (m->position != l->position)
		return;
	LIST_FOREACH(s, &l->list, link)
		s->events->on_record(m->record, s->arg);
}

void input_scans_down(struct input_scans *l)
{
	struct input_scan *s;

	while ((s = LIST_FIRST(&l->list)) != NULL) {
		LIST_REMOVE(s, link);
		s->owner = NULL;
		s->events->on_end("the worker of the stream has ended",
				  s->arg);
	}
}
