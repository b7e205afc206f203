/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers the requests of deliver workers for pictures of streams. */
#include "common/base/alloc.h"
#include "master/streams/deliver_state.h"
#include "master/streams/picture_proc.h"
#include "proto/ipc/channel.h"

#include <stdlib.h>

/* A request of a deliver worker whose picture is being made. */
struct look {
	LIST_ENTRY(look) link;
	struct deliver_worker *owner;
	struct picture_job *job;
	uint32_t seq;
};

static void answer(struct deliver_worker *w, uint32_t seq,
		   const struct msg_picture_result *result, int fd)
{
	struct channel *channel = service_proc_channel(w->service);
	const struct msg m = { .type = MSG_DELIVER_PICTURE, .seq = seq,
			       .deliver_picture = *result };

	if (channel != NULL)
		(void)channel_send(channel, &m, &fd, result->len > 0);
}

static void refuse(struct deliver_worker *w, uint32_t seq, const char *error,
		   bool absent)
{
	answer(w, seq, &(struct msg_picture_result){
		.absent = absent, .error = error }, -1);
}

static void on_done(const struct msg_picture_result *result, int fd, void *arg)
{
	struct look *l = arg;
	struct deliver_worker *w = l->owner;
	uint32_t seq = l->seq;

	LIST_REMOVE(l, link);
	free(l);
	answer(w, seq, result, fd);
}

void deliver_proc_set_pictures(struct deliver_proc *d,
			       const struct deliver_pictures *p)
{
	d->pictures = *p;
}

void deliver_pictures_ask(struct deliver_worker *w, const char *stream,
			  uint32_t seq)
{
	const struct deliver_pictures *p = &w->owner->pictures;
	const char *error = NULL;
	bool absent = false;
	struct look *l;
	int ring = -1;

	if (p->proc == NULL)
		error = "this program makes no pictures";
	else
		ring = p->ring_of(stream, &error, &absent,
					   p->arg);
	if (error == NULL)
		error = picture_proc_refusal(p->proc, stream);
	if (error != NULL) {
		refuse(w, seq, error, absent);
		return;
	}
	l = xcalloc(1, sizeof *l);
	l->owner = w;
	l->seq = seq;
	l->job = picture_job_new(p->proc, stream, ring, on_done, l);
	if (l->job == NULL) {
		free(l);
		refuse(w, seq, "the machine has no descriptor left", false);
		return;
	}
	LIST_INSERT_HEAD(&w->looks, l, link);
}

void deliver_pictures_cancel(struct deliver_worker *w)
{
	struct look *l;

	while ((l = LIST_FIRST(&w->looks)) != NULL) {
		picture_job_cancel(&l->job);
		LIST_REMOVE(l, link);
		free(l);
	}
}
