/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/cc.h"

enum cc_verdict cc_judge(struct cc *cc, const uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);

	if (!ts_sync_ok(packet) || pid == TS_PID_NULL)
		return CC_OK;

	uint16_t before = cc->pid[pid];
	uint16_t now = cc_state(packet);
	unsigned last = before & 0x0f;
	bool payload = ts_has_payload(packet);

	cc->pid[pid] = now;
	if (!(before & CC_SEEN) || ts_discontinuity(packet))
		return CC_OK;
	if (payload && (before & ~CC_REPEATED) == now) {
		cc->pid[pid] |= CC_REPEATED;
		return before & CC_REPEATED ? CC_ERROR : CC_DUPLICATE;
	}
	if (ts_cc(packet) != (payload ? (last + 1) & 0x0f : last))
		return CC_ERROR;
	return CC_OK;
}
