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

static bool is_sound_clock(const struct splice_continuity *s,
			   const struct splice_clock *c, uint64_t now_ns)
{
	const int64_t most = (int64_t)(PCR_HZ * SPLICE_CLOCK_AHEAD_MAX_S);

	return c->used == 1 && c->pid < TS_PIDS &&
	       c->anchored <= SPLICE_CLOCK_SMOOTH &&
	       c->packet_ticks <= SPLICE_PACKET_TICKS_MAX &&
	       c->offset < PES_TIME_WRAP && c->lift < PES_TIME_WRAP &&
	       c->pcr < PCR_WRAP && c->anchor < PCR_WRAP &&
	       c->ahead <= most && c->ahead >= -most &&
	       c->at_ns <= now_ns && c->at_packets <= s->packets;
}

static bool is_sound_track(const struct splice_continuity *s,
			   const struct splice_track *t)
{
	return t->used == 1 && t->pid < TS_PIDS &&
	       t->clock < SPLICE_CLOCKS && t->dts < PES_TIME_WRAP &&
	       t->pts < PES_TIME_WRAP && t->span <= SPLICE_SPAN_MAX &&
	       t->slack <= t->span && t->at_packets <= s->packets;
}

bool splice_continuity_check(struct splice_continuity *s, uint64_t now_ns)
{
	if (s->packets == 0 || s->packets > PACKETS_MAX ||
	    s->at_ns > now_ns) {
		memset(s, 0, sizeof *s);
		return false;
	}
	for (size_t i = 0; i < SPLICE_CLOCKS; i++)
		if (!is_sound_clock(s, &s->clocks[i], now_ns))
			s->clocks[i] = (struct splice_clock){ 0 };
	for (size_t i = 0; i < SPLICE_TRACKS; i++)
		if (!is_sound_track(s, &s->tracks[i]))
			s->tracks[i] = (struct splice_track){ 0 };
	for (size_t i = 0; i < TS_PIDS; i++)
		s->cc[i] &= SPLICE_CC_SEEN | 0x0f;
	return true;
}
