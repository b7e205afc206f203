/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One alarm (proto/spec/alarm.h) and since when it is there.
 *
 * It is raised by the first second that shows its fault, and cleared by
 * ALARM_CLEAR_S seconds without: it does not flicker.  One that is back within
 * ALARM_RETURN_S of that is to be away twice as long each time, up to
 * ALARM_CLEAR_MAX_S: one that comes and goes stays raised, and its count
 * grows.  ALARM_FORGIVEN_S without it make it as a new one.
 *
 * Pure.  Embedded; zeroed memory: nothing is wrong.
 */
#pragma once

#include "proto/spec/alarm.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	ALARM_CLEAR_S = 5,
	ALARM_CLEAR_MAX_S = 60,
	ALARM_RETURN_S = 60,
	ALARM_FORGIVEN_S = 600,
};

struct alarm {
	bool raised;
	uint8_t hold_s;      /* so long it has to be away; 0: as a new one */
	uint16_t clean_s;    /* seconds without the fault, and no more than it
			      * takes to forgive it */
	uint16_t cleared_s;  /* of these, since it was cleared */
	uint64_t count;      /* faults ever */
	uint64_t changed_ms; /* when it was raised or cleared; wall clock */
	uint64_t last_ms;    /* the last second with a fault; 0: never */
};

/* Ends a second with so many faults.  True when it was raised or cleared. */
bool alarm_second(struct alarm *, uint32_t faults, uint64_t wall_ms);

/* Nobody looks any more: it is cleared, and what comes then is no return. */
void alarm_rest(struct alarm *, uint64_t wall_ms);
