/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/cc.h"

#include "common/base/util.h"

enum cc_verdict cc_judge(uint16_t *pid, const uint8_t *packet)
{
	if (!ts_sync_ok(packet) || ts_pid(packet) == TS_PID_NULL)
		return CC_OK;

	uint16_t before = *pid;
	uint16_t now = cc_state(packet);
	unsigned kind = before & CC_KIND;
	unsigned last = before & 0x0f;
	unsigned next = (last + 1) & 0x0f;
	bool payload = ts_has_payload(packet);

	*pid = now;
	if (kind == 0 || ts_discontinuity(packet))
		return CC_OK;
	if (kind == CC_DAMAGED) {
		/* If the damaged packet was one of this PID, this packet has
		 * the next counter; if it was one of another PID, this packet
		 * has the counter of the damaged one. */
		if (!payload)
			next = (last - 1) & 0x0f;
		return ts_cc(packet) == last || ts_cc(packet) == next
			       ? CC_OK
			       : CC_ERROR;
	}
	if (payload && ((before & ~CC_KIND) | CC_SEEN) == now) {
		*pid |= CC_REPEATED;
		return kind == CC_REPEATED ? CC_ERROR : CC_DUPLICATE;
	}
	return ts_cc(packet) == (payload ? next : last) ? CC_OK : CC_ERROR;
}

void cc_damaged(struct cc *cc, uint16_t *pid, const uint8_t *packet)
{
	unsigned next = (*pid + 1u) & 0x0f;

	if (!ts_sync_ok(packet))
		return;
	if (ts_pid(packet) != TS_PID_NULL && (*pid & CC_KIND) != 0 &&
	    ts_has_payload(packet) && ts_cc(packet) == next)
		*pid = (uint16_t)(CC_DAMAGED | next);
	else if (cc->strays < UINT16_MAX)
		cc->strays++;
}

bool cc_is_excused(struct cc *cc, uint16_t before, const uint8_t *packet)
{
	unsigned next = before + ts_has_payload(packet);
	unsigned missing = (ts_cc(packet) - next) & 0x0f, of_old, of_new;

	of_old = MIN(missing, cc->old_strays);
	of_new = MIN(missing - of_old, cc->strays);
	cc->old_strays = (uint16_t)(cc->old_strays - of_old);
	cc->strays = (uint16_t)(cc->strays - of_new);
	return missing > 0 && of_old + of_new == missing;
}
