/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/mux/mux_counters.h"

bool mux_counters_feed(struct mux_counters *c, uint32_t source, uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);
	uint8_t *in = &c->in[pid], *sent = &c->sent[pid];
	bool fresh = *in == 0 || c->of[pid] != source, payload;
	unsigned step = 0;

	payload = ts_has_payload(packet);
	if (fresh && payload && !ts_pusi(packet))
		return false;
	/* A packet without payload, for a PCR, may precede the first unit. */
	if (fresh || ts_discontinuity(packet))
		step = payload && (*sent & SPLICE_CC_SEEN);
	else if (payload)
		step = (ts_cc(packet) + 17U - *in) & 0x0f;
	if (!fresh || payload) {
		*in = (uint8_t)(ts_cc(packet) + 1);
		c->of[pid] = source;
	}
	if (!(*sent & SPLICE_CC_SEEN) && !payload)
		*sent = SPLICE_CC_SEEN | 0x0f; /* so that the counter of the
						* next packet is 0 */
	*sent = (uint8_t)(SPLICE_CC_SEEN | ((*sent + step) & 0x0f));
	ts_set_cc(packet, *sent);
	return true;
}
