/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/mux/spread.h"

#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/ts/psi.h"
#include "worker/ts/t_std.h"

/* A packet leaves up to a position later than wanted, and the next one in time:
 * a part of the buffer stays free. */
enum { ROOM = T_STD_TB - 48 };

static unsigned leak_of(const struct psi *psi, uint16_t pid)
{
	switch (psi_class(psi, pid)) {
	case PID_PSI:
		return T_STD_TABLES_BPS;
	case PID_AUDIO:
		return t_std_audio_bps(psi_stream_type(psi, pid));
	default:
		return 0;
	}
}

void spread_follow(struct spread *s, const struct psi *psi)
{
	for (uint16_t pid = 0; pid < TS_PIDS; pid++) {
		struct spread_pid *p = &s->pids[pid];
		uint8_t coding = psi_class(psi, pid) == PID_VIDEO
					 ? psi_coding(psi, pid) : 0;
		unsigned leak = leak_of(psi, pid);

		if (coding != 0 && coding == p->coding)
			continue;
		if (leak > 0 || p->leak > 0)
			p->leak = (float)leak / 8 / SECOND_NS;
		if (coding != p->coding)
			p->coding = coding;
		if (leak > 0 || coding != 0)
			p->over = false;
	}
}

void spread_learn(struct spread *s, const uint8_t *packet)
{
	struct spread_pid *p = &s->pids[ts_pid(packet)];
	size_t at = ts_payload_offset(packet);
	unsigned bps;

	if (p->coding == 0 || p->leak > 0 || p->over || at >= TS_PACKET ||
	    !ts_pusi(packet) || ts_scrambling(packet) != 0)
		return;
	bps = t_std_video_bps(p->coding, packet + at, TS_PACKET - at);
	p->leak = (float)bps / 8 / SECOND_NS;
}

uint64_t spread_place(struct spread *s, uint16_t pid, uint64_t at_ns)
{
	struct spread_pid *p = &s->pids[pid];
	uint64_t at = MAX(at_ns, p->at_ns);
	float drained;

	if (!(p->leak > 0))
		return at;
	drained = p->leak * (float)(at - p->at_ns);
	p->level -= MIN(drained, p->level);
	if (p->level + TS_PACKET > ROOM) {
		at += (uint64_t)((p->level + TS_PACKET - ROOM) / p->leak);
		p->level = ROOM - TS_PACKET;
	}
	if (at - at_ns > SPREAD_MAX_MS * MS) {
		p->leak = 0;
		p->over = true;
	}
	p->level += TS_PACKET;
	p->at_ns = at;
	return at;
}
