/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/cc_rewrite.h"

bool cc_rewrite_feed(struct cc_rewrite *c, uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);
	uint8_t *in = &c->in[pid], *out = &c->out[pid];
	unsigned step = 1;

	if (!ts_has_payload(packet)) {
		/* without payload the counter stays */
		ts_set_cc(packet, *out + 15U);
		return true;
	}
	if (*in > 0)
		step = (ts_cc(packet) + 17U - *in) & 0x0f;
	if (step == 0 && !ts_discontinuity(packet))
		return false;
	if (step == 0 || ts_discontinuity(packet))
		step = 1;

	*in = (uint8_t)(ts_cc(packet) + 1);
	*out = (uint8_t)((*out + step - 1) & 0x0f);
	ts_set_cc(packet, *out);
	*out = (*out + 1) & 0x0f;
	return true;
}
