/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends splice commands to the worker of a stream. */
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
