/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/analysis/alarm.h"

bool alarm_second(struct alarm *a, uint32_t faults, uint64_t wall_ms)
{
	bool was = a->raised;

	a->count += faults;
	if (faults > 0) {
		a->raised = true;
		a->clean_s = 0;
		a->last_ms = wall_ms;
	} else if (a->raised && ++a->clean_s >= ALARM_CLEAR_S) {
		a->raised = false;
	}
	if (a->raised == was)
		return false;
	a->changed_ms = wall_ms;
	return true;
}

void alarm_rest(struct alarm *a, uint64_t wall_ms)
{
	if (!a->raised)
		return;
	a->raised = false;
	a->changed_ms = wall_ms;
}
