/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/pace.h"

void pace_start(struct pace *p, uint64_t now_ms)
{
	p->beats_ms = now_ms;
}

bool pace_beat(struct pace *p, uint64_t now_ms)
{
	if (now_ms > p->beats_ms + PACE_BEHIND_MS)
		p->beats_ms = now_ms - PACE_BEHIND_MS;
	p->beats_ms += PACE_BEAT_MS;
	return p->beats_ms <= now_ms + PACE_AHEAD_MS;
}
