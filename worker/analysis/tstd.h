/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The transport buffer of the target decoder (ISO/IEC 13818-1 2.4.2): the
 * packets of a PID fill its 512 bytes, which empty at the rate of its type.  A
 * decoder may lose packets that overflow it.
 *
 * Only for tables, and for audio whose rate the standard fixes: that of video
 * depends on its level.  Time is the place in a multiplex of constant rate; in
 * another one the buffer is not checked.
 */
#pragma once

#include "worker/analysis/pid_stats.h"

#include <stddef.h>

enum { TSTD_BUFFER = 512 };

struct monitor;

/* Once a second: how fast the buffers empty from now on. */
void tstd_second(struct monitor *);

/* The nth packet of the multiplex is of this PID. */
static inline void tstd_take(struct pid_stats *s, uint64_t nth)
{
	float drained;

	if (!(s->leak > 0))
		return;
	drained = s->leak * (float)(nth - s->level_at);
	s->level_at = nth;
	/* it empties while the packet arrives */
	s->level = s->level + s->leak > drained
			   ? s->level + s->leak - drained : 0;
	s->level += TS_PACKET - s->leak;
	if (s->level <= TSTD_BUFFER)
		return;
	s->overflows++;
	s->level = TSTD_BUFFER;
}
