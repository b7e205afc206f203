/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends splice commands, and events of the guide, to the worker of a
 * stream. */
#include "common/supervise/worker_proc.h"
#include "master/streams/stream_plan.h"
#include "master/streams/stream_proc_state.h"
#include "proto/ipc/channel.h"

#include <errno.h>

int stream_proc_cue(struct stream_proc *p, const struct cue_command *c)
{
	struct channel *channel = worker_proc_channel(p->proc);
	struct msg m = {
		.type = MSG_STREAM_CUE,
		.stream_cue = { .record = c->record, .timed = c->timed,
				.pre_roll_ms = c->pre_roll_ms },
	};

	return stream_proc_is_running(p) && channel != NULL
		       ? channel_send(channel, &m, NULL, 0) : -EAGAIN;
}

void stream_proc_guide(struct stream_proc *p, const struct msg_stream_guide *g,
		       int fd)
{
	struct channel *channel = worker_proc_channel(p->proc);
	const struct msg m = { .type = MSG_STREAM_GUIDE, .stream_guide = *g };

	if (p->started && channel != NULL && !p->removed)
		(void)channel_send(channel, &m, &fd, 1);
}
