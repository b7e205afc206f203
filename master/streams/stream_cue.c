/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends splice commands, and events of the guide, to the worker of a
 * stream. */
#include "common/base/alloc.h"
#include "common/supervise/worker_proc.h"
#include "master/streams/stream_plan.h"
#include "master/streams/stream_proc_state.h"
#include "proto/ipc/channel.h"

#include <errno.h>
#include <stdlib.h>

enum { CUES_MAX = 64 /* open requests at a time */ };

struct request {
	struct worker_request base;
	cue_done_fn *done;
	void *arg;
};

static void answer(struct worker_request *base, const char *error)
{
	struct request *r = container_of(base, struct request, base);
	cue_done_fn *done = r->done;
	void *arg = r->arg;

	free(r);
	done(error, arg);
}

void stream_cues_init(struct stream_proc *p)
{
	worker_requests_init(&p->cues, p->cfg.loop, CUES_MAX, answer);
}

int stream_proc_cue(struct stream_proc *p, const struct cue_command *c,
		    cue_done_fn *done, void *arg)
{
	struct channel *channel = worker_proc_channel(p->proc);
	struct msg m = {
		.type = MSG_STREAM_CUE,
		.stream_cue = { .record = c->record, .timed = c->timed,
				.pre_roll_ms = c->pre_roll_ms },
	};
	struct request *r;
	int err;

	if (!stream_proc_is_running(p) || channel == NULL)
		return -EAGAIN;
	r = xcalloc(1, sizeof *r);
	r->done = done;
	r->arg = arg;
	err = worker_request_send(&p->cues, &r->base, channel, &m);
	if (err < 0)
		free(r);
	return err;
}

void stream_cues_answer(struct stream_proc *p, uint32_t seq,
			const struct msg_stream_cued *m)
{
	struct worker_request *r = worker_request_find(&p->cues, seq);

	if (r == NULL)
		return;
	worker_request_end(r);
	answer(r, m->error != NULL ? m->error : "");
}

void stream_proc_guide(struct stream_proc *p, const struct msg_stream_guide *g,
		       int fd)
{
	struct channel *channel = worker_proc_channel(p->proc);
	const struct msg m = { .type = MSG_STREAM_GUIDE, .stream_guide = *g };

	if (p->started && channel != NULL && !p->removed)
		(void)channel_send(channel, &m, &fd, 1);
}
