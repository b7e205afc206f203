/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models the buffers of the standard decoder (ISO/IEC 13818-1 2.4.2).  The
 * packets of a PID fill the 512 bytes of its transport buffer, which empties at
 * a rate that depends on the type of the PID.  Behind it are the buffers of
 * video and audio (unit_buffer.h), and for each program a system buffer of its
 * PMT with PAT and CAT.  A decoder may lose packets that overflow them.
 *
 * Rate and size for video depend on its level, which its parameter sets name;
 * those of audio on its codec and channels, which its frames name.  Time is the
 * position in a multiplex of constant rate; in a multiplex of variable rate no
 * buffer is checked.
 */
#pragma once

#include "worker/analysis/pid_stats.h"
#include "worker/ts/pes_head.h"

#include <stdbool.h>
#include <stddef.h>

enum { TSTD_BUFFER = 512 };

struct monitor;

/* Sets how fast the buffers empty from now on; to be called once a second. */
void tstd_second(struct monitor *);
/* Stops the checks until tstd_second(), because the positions of packets in the
 * stream are unknown. */
void tstd_rest(struct monitor *);

/* Sets the PCR PID whose clock the video or audio on this PID has. */
void tstd_set_clock(struct monitor *, uint16_t pid, uint16_t pcr_pid);
/* Frees the buffers of all PIDs, before the PIDs are forgotten. */
void tstd_free(struct monitor *);

/* Takes a packet of clear video or audio behind the transport buffer, with the
 * time stamps that were read from it.  Follows its level or codec, and its
 * units.  True: a unit overflows its buffers or is late. */
bool tstd_take_media(struct monitor *, struct pid_stats *,
		     const uint8_t *packet, enum pes_sign,
		     const struct pes_stamps *);

/* Takes a packet of tables.  Returns how many buffers overflow: its transport
 * buffer, and the system buffers of programs. */
uint32_t tstd_take_table(struct monitor *, struct pid_stats *,
			 const uint8_t *packet);

/* Takes a packet of the PID, the nth packet of the multiplex; true: it
 * overflows the buffer. */
static inline bool tstd_take(struct pid_stats *s, uint64_t nth)
{
	float drained;

	if (!(s->leak > 0))
		return false;
	drained = s->leak * (float)(nth - s->level_at);
	s->level_at = nth;
	/* the buffer also empties while the packet arrives */
	s->level = s->level + s->leak > drained
			   ? s->level + s->leak - drained : 0;
	s->level += TS_PACKET - s->leak;
	if (s->level <= TSTD_BUFFER)
		return false;
	s->overflows++;
	s->level = TSTD_BUFFER;
	return true;
}
