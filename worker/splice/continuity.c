/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/splice/continuity.h"

#include "common/base/util.h"
#include "worker/splice/clock.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

#include <string.h>

/* Larger counts of packets are rejected, so that differences of counts cannot
 * overflow. */
#define PACKETS_MAX (UINT64_MAX / 4)

bool splice_continuity_check(struct splice_continuity *s, uint64_t now_ns)
{
	const int64_t most = (int64_t)(PCR_HZ * SPLICE_CLOCK_AHEAD_MAX_S);

	if (s->packets == 0 || s->packets > PACKETS_MAX ||
	    s->at_ns > now_ns) {
		memset(s, 0, sizeof *s);
		return false;
	}
	for (size_t i = 0; i < SPLICE_CLOCKS; i++) {
		struct splice_clock *c = &s->clocks[i];
		bool sound = c->used == 1 && c->pid < TS_PIDS &&
			     c->anchored <= SPLICE_CLOCK_SMOOTH &&
			     c->packet_ticks <= SPLICE_PACKET_TICKS_MAX &&
			     c->offset < PES_TIME_WRAP &&
			     c->lift < PES_TIME_WRAP && c->pcr < PCR_WRAP &&
			     c->anchor < PCR_WRAP && c->ahead <= most &&
			     c->ahead >= -most && c->at_ns <= now_ns &&
			     c->at_packets <= s->packets;

		if (!sound)
			*c = (struct splice_clock){ 0 };
	}
	for (size_t i = 0; i < SPLICE_TRACKS; i++) {
		struct splice_track *t = &s->tracks[i];
		bool sound = t->used == 1 && t->pid < TS_PIDS &&
			     t->clock < SPLICE_CLOCKS &&
			     t->dts < PES_TIME_WRAP && t->pts < PES_TIME_WRAP &&
			     t->span <= SPLICE_SPAN_MAX &&
			     t->slack <= t->span && t->at_packets <= s->packets;

		if (!sound)
			*t = (struct splice_track){ 0 };
	}
	for (size_t i = 0; i < TS_PIDS; i++)
		s->cc[i] &= SPLICE_CC_SEEN | 0x0f;
	return true;
}
