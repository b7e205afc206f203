/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/cc_join.h"

#include <string.h>

void join_segment(struct join *j, bool on)
{
	j->segment++;
	if (!on)
		memset(j->pids, 0, sizeof j->pids);
}

/* The first packet of a PID in its segment. */
static void begin(struct join *j, struct join_pid *p, const uint8_t *packet)
{
	bool has_payload = ts_has_payload(packet);
	uint8_t expected = (uint8_t)(p->last + has_payload) & 0x0f;
	uint8_t now = (uint8_t)(ts_cc(packet) + p->offset) & 0x0f;
	bool waited = p->waits;

	p->segment = j->segment;
	p->waits = false;
	if (!p->seen || now == expected)
		return;
	p->offset = (uint8_t)(p->offset + expected - now) & 0x0f;
	/* what has no units at all is not waited for again */
	p->waits = has_payload && !ts_pusi(packet) && !waited;
	j->torn += p->waits;
}

enum join_is join_look(struct join *j, const uint8_t *packet, uint8_t *ret_cc)
{
	struct join_pid *p = &j->pids[ts_pid(packet)];
	uint8_t cc = ts_cc(packet);

	if (ts_pid(packet) == TS_PID_NULL || ts_tei(packet))
		return JOIN_AS_IT_IS;
	if (!p->seen || p->segment != j->segment)
		begin(j, p, packet);
	p->seen = true;
	if (p->waits && ts_pusi(packet))
		p->waits = false;
	if (p->waits) {
		/* what is left out does not count */
		p->offset = (uint8_t)(p->offset - ts_has_payload(packet)) &
			    0x0f;
		return JOIN_LEFT_OUT;
	}
	*ret_cc = (uint8_t)(cc + p->offset) & 0x0f;
	p->last = *ret_cc;
	return *ret_cc == cc ? JOIN_AS_IT_IS : JOIN_CHANGED;
}
