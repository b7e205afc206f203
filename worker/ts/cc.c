/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/cc.h"

enum cc_verdict cc_judge(uint16_t *pid, const uint8_t *packet)
{
	if (!ts_sync_ok(packet) || ts_pid(packet) == TS_PID_NULL)
		return CC_OK;

	uint16_t before = *pid;
	uint16_t now = cc_state(packet);
	unsigned last = before & 0x0f;
	bool payload = ts_has_payload(packet);

	*pid = now;
	if (!(before & CC_SEEN) || ts_discontinuity(packet))
		return CC_OK;
	if (payload && (before & ~CC_REPEATED) == now) {
		*pid |= CC_REPEATED;
		return before & CC_REPEATED ? CC_ERROR : CC_DUPLICATE;
	}
	if (ts_cc(packet) != (payload ? (last + 1) & 0x0f : last))
		return CC_ERROR;
	return CC_OK;
}
