/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/analysis/alarm_state.h"

#include "common/base/util.h"

bool alarm_second(struct alarm *a, uint32_t faults, uint64_t wall_ms)
{
	bool was = a->raised;

	a->count += faults;
	if (faults > 0) {
		if (!was) {
			unsigned hold_s = a->hold_s;

			if (hold_s == 0)
				hold_s = ALARM_CLEAR_S;
			else if (a->cleared_s < ALARM_RETURN_S)
				hold_s = MIN(2 * hold_s, ALARM_CLEAR_MAX_S);
			a->hold_s = (uint8_t)hold_s;
			a->raised = true;
		}
		a->clean_s = 0;
		a->last_ms = wall_ms;
	} else {
		a->clean_s = (uint16_t)MIN(a->clean_s + 1, ALARM_FORGIVEN_S);
		if (a->clean_s == ALARM_FORGIVEN_S)
			a->hold_s = 0;
		if (!was && a->cleared_s < ALARM_RETURN_S)
			a->cleared_s++;
		if (was && a->clean_s >= a->hold_s) {
			a->raised = false;
			a->cleared_s = 0;
		}
	}
	if (a->raised == was)
		return false;
	a->changed_ms = wall_ms;
	return true;
}

void alarm_rest(struct alarm *a, uint64_t wall_ms)
{
	a->cleared_s = ALARM_RETURN_S;
	if (!a->raised)
		return;
	a->raised = false;
	a->changed_ms = wall_ms;
}
