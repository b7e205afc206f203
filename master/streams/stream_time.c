/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports to a stream with own TDT and TOT whether the system clock is
 * synchronised. */
#include "common/base/clock_sync.h"
#include "common/base/log.h"
#include "master/streams/stream_plan.h"
#include "master/streams/stream_proc_state.h"
#include "proto/ipc/channel.h"

/* Sends the state of the clock if it has changed.  A clock whose state cannot
 * be read is treated as synchronised. */
void stream_time_report(struct stream_proc *p, struct channel *channel)
{
	enum clock_sync sync;
	bool good;

	if (!p->plan->clock || channel == NULL)
		return;
	sync = clock_sync_read();
	good = sync != CLOCK_SYNC_NO;
	if (p->clock == (good ? CLOCK_TOLD_GOOD : CLOCK_TOLD_BAD))
		return;
	if (sync == CLOCK_SYNC_UNKNOWN)
		log_warning(p->id, "own TDT and TOT: the service is not "
			    "permitted to ask whether the system clock is "
			    "synchronised (clock_lost in sluice.json(5) says "
			    "how to permit it)");

	const struct msg m = { .type = MSG_STREAM_CLOCK,
			       .stream_clock = { good } };

	if (channel_send(channel, &m, NULL, 0) == 0)
		p->clock = good ? CLOCK_TOLD_GOOD : CLOCK_TOLD_BAD;
}
