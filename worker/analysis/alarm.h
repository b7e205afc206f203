/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One alarm (proto/alarm.h) and since when it is there.
 *
 * It is raised by the first second that shows its fault, and cleared by
 * ALARM_CLEAR_S seconds without: it does not flicker.
 *
 * Pure.  Embedded; zeroed memory: nothing is wrong.
 */
#pragma once

#include "proto/alarm.h"

#include <stdbool.h>
#include <stdint.h>

enum { ALARM_CLEAR_S = 5 };

struct alarm {
	bool raised;
	uint8_t clean_s;     /* seconds without the fault, while raised */
	uint64_t count;      /* faults ever */
	uint64_t changed_ms; /* when it was raised or cleared; wall clock */
	uint64_t last_ms;    /* the last second with a fault; 0: never */
};

/* Ends a second with so many faults.  True when it was raised or cleared. */
bool alarm_second(struct alarm *, uint32_t faults, uint64_t wall_ms);

/* Nobody looks any more: it is cleared. */
void alarm_rest(struct alarm *, uint64_t wall_ms);
