/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests the analysis or the plan of a stream from its worker. */
#include "common/supervise/worker_proc.h"
#include "master/streams/stream_plan.h"
#include "master/streams/stream_proc_state.h"

#include <errno.h>

int stream_proc_analyze(struct stream_proc *p, enum analysis_kind kind,
			analysis_fn *done, void *arg)
{
	struct channel *channel = worker_proc_channel(p->proc);

	if (!stream_proc_is_running(p) || channel == NULL)
		return -ESRCH;
	return analysis_ask(p->analysis, channel, (struct analysis_scope){
		kind, p->plan->start.n_inputs }, done, arg);
}
