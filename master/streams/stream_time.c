/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells a stream with own TDT and TOT whether the system clock is right. */
#include "common/base/clock_sync.h"
#include "master/streams/stream_plan.h"
#include "master/streams/stream_proc_state.h"
#include "proto/ipc/channel.h"

void stream_time_report(struct stream_proc *p, struct channel *channel)
{
	bool synchronised;

	if (!p->plan->clock || channel == NULL)
		return;
	synchronised = clock_is_synchronised();
	if (p->clock == (synchronised ? CLOCK_SYNCHRONISED : CLOCK_FREE))
		return;

	const struct msg m = { .type = MSG_STREAM_CLOCK,
			       .stream_clock = { synchronised } };

	if (channel_send(channel, &m, NULL, 0) == 0)
		p->clock = synchronised ? CLOCK_SYNCHRONISED : CLOCK_FREE;
}
