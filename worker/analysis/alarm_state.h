/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of one alarm (proto/spec/alarm.h).
 *
 * The first second with its fault raises it; ALARM_CLEAR_S seconds without
 * clear it, so that it does not flicker.  An alarm that returns within
 * ALARM_RETURN_S has to be absent for twice as long each time, up to
 * ALARM_CLEAR_MAX_S: it stays raised, and its count grows.  After
 * ALARM_FORGIVEN_S without the fault it is like new.
 *
 * Pure.  Embedded; zeroed memory is an alarm that is not raised.
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
	uint8_t hold_s;      /* seconds without a fault that clear it; 0: new */
	uint16_t clean_s;    /* seconds without the fault, at most
			      * ALARM_FORGIVEN_S */
	uint16_t cleared_s;  /* clean seconds since it was cleared */
	uint64_t count;      /* all faults */
	uint64_t changed_ms; /* when it was raised or cleared; wall clock */
	uint64_t last_ms;    /* the last second with a fault; 0: never */
};

/* Ends a second with so many faults.  True when it was raised or cleared. */
bool alarm_second(struct alarm *, uint32_t faults, uint64_t wall_ms);

/* The watch ends: clears it.  The next fault is not a return. */
void alarm_rest(struct alarm *, uint64_t wall_ms);
