/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/cc_join.h"

#include <string.h>

void cc_join_segment(struct cc_join *j, bool on)
{
	j->segment++;
	if (!on)
		memset(j->pids, 0, sizeof j->pids);
}

enum cc_join_result cc_join_feed(struct cc_join *j, const uint8_t *packet,
				 uint8_t *ret_cc)
{
	struct cc_join_pid *p = &j->pids[ts_pid(packet)];
	uint8_t cc = ts_cc(packet);

	if (ts_pid(packet) == TS_PID_NULL || ts_tei(packet))
		return CC_JOIN_UNCHANGED;
	if (p->seen && p->segment != j->segment) {
		/* the first packet of the PID in its segment */
		bool has_payload = ts_has_payload(packet), waited = p->waits;
		uint8_t expected = (uint8_t)(p->last + has_payload) & 0x0f;
		uint8_t now = (uint8_t)(cc + p->offset) & 0x0f;

		p->waits = false;
		if (now != expected) {
			p->offset = (uint8_t)(p->offset + expected - now) &
				    0x0f;
			/* a PID without unit starts is dropped in one segment
			 * only */
			p->waits = has_payload && !ts_pusi(packet) && !waited;
			j->truncated += p->waits;
		}
	}
	p->segment = j->segment;
	p->seen = true;
	if (p->waits && ts_pusi(packet))
		p->waits = false;
	if (p->waits) {
		/* dropped packets leave no gap in the counters */
		p->offset = (uint8_t)(p->offset - ts_has_payload(packet)) &
			    0x0f;
		return CC_JOIN_DROP;
	}
	*ret_cc = (uint8_t)(cc + p->offset) & 0x0f;
	p->last = *ret_cc;
	return *ret_cc == cc ? CC_JOIN_UNCHANGED : CC_JOIN_CHANGED;
}
