/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The transport buffer of the target decoder (ISO/IEC 13818-1 2.4.2): 512 bytes
 * that each PID's packets fill as they come, and that empty at the rate of its
 * kind.  What comes too fast for it is lost in a decoder that is no better.
 *
 * Of tables, and of audio whose rate the standard fixes: that of video
 * depends on its level.  Time is the place in a multiplex of constant rate; in
 * any other nothing is said.
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
	/* it goes on emptying while the packet comes in */
	s->level = s->level + s->leak > drained
			   ? s->level + s->leak - drained : 0;
	s->level += TS_PACKET - s->leak;
	if (s->level <= TSTD_BUFFER)
		return;
	s->overflows++;
	s->level = TSTD_BUFFER;
}
