/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/mux/spread.h"

#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/ts/psi.h"
#include "worker/ts/t_std.h"

/* ROOM: A packet may leave up to one position later than planned, and the next
 * one on time. 48 bytes of the buffer stay free for that. */
enum {
	ROOM = T_STD_TB - 48,
	/* A PID whose rate was too high is spread again after CALM_MS in which
	 * no packet would have waited longer than CALM_WAIT_MS. */
	CALM_WAIT_MS = SPREAD_MAX_MS / 4,
	CALM_MS = 1000,
};

static void set_leak(struct spread_pid *p, unsigned bps)
{
	if (bps == p->bps)
		return;
	p->bps = bps;
	p->leak = (float)bps / 8 / SECOND_NS;
	p->over = false;
}

void spread_follow(struct spread *s, const struct psi *psi)
{
	for (uint16_t pid = 0; pid < TS_PIDS; pid++) {
		struct spread_pid *p = &s->pids[pid];
		enum pid_class class = psi_class(psi, pid);
		uint8_t coding = class == PID_VIDEO ? psi_coding(psi, pid) : 0;
		unsigned bps = class == PID_PSI ? T_STD_TABLES_BPS
			       : class == PID_AUDIO ? T_STD_AUDIO_BPS : 0;

		if (coding == 0 || coding != p->coding)
			set_leak(p, bps);
		if (coding != p->coding)
			p->coding = coding;
	}
}

void spread_learn(struct spread *s, const uint8_t *packet)
{
	struct spread_pid *p = &s->pids[ts_pid(packet)];
	size_t at = ts_payload_offset(packet);
	struct t_std_video video;

	if (p->coding == 0 || at >= TS_PACKET || ts_scrambling(packet) != 0)
		return;
	if (t_std_video_find(p->coding, packet + at, TS_PACKET - at, &video))
		set_leak(p, video.bps);
}

/* The time at which a packet leaves: at_ns, or later.  If the rate of the PID
 * exceeds that of its buffer, it leaves at at_ns. */
static uint64_t place(struct spread_pid *p, uint64_t at_ns)
{
	uint64_t at = MAX(at_ns, p->at_ns), wait_ns;
	float drained = p->leak * (float)(at - p->at_ns);

	if (p->bps == 0)
		return at_ns;
	/* the packet enters the model of the buffer as soon as that has room */
	p->level -= MIN(drained, p->level);
	if (p->level + TS_PACKET > ROOM) {
		at += (uint64_t)((p->level + TS_PACKET - ROOM) / p->leak);
		p->level = ROOM - TS_PACKET;
	}
	p->level += TS_PACKET;
	p->at_ns = at;
	wait_ns = at - at_ns;
	if (wait_ns > SPREAD_MAX_MS * MS) {
		p->over = true;
		wait_ns = SPREAD_MAX_MS * MS;
		p->at_ns = at_ns + wait_ns;
	}
	if (!p->over)
		return at_ns + wait_ns;
	if (wait_ns > CALM_WAIT_MS * MS)
		p->over_ns = at_ns;
	p->over = at_ns - p->over_ns < CALM_MS * MS;
	return at_ns;
}

uint64_t spread_place(struct spread *s, uint16_t pid, uint64_t at_ns)
{
	struct spread_pid *p = &s->pids[pid];
	uint64_t at = place(p, at_ns);

	p->left_ns = MAX(p->left_ns, at);
	return p->left_ns;
}
