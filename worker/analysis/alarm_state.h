/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of one alarm (proto/spec/alarm.h).
 *
 * The first second with a fault raises the alarm; ALARM_CLEAR_S seconds without
 * a fault clear it, so that it does not flicker.  Each time that the fault
 * returns within ALARM_RETURN_S, the time without a fault that clears the alarm
 * doubles, up to ALARM_CLEAR_MAX_S.  After ALARM_FORGIVEN_S without a fault it
 * is ALARM_CLEAR_S again.
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
	/* seconds without a fault that clear the alarm; 0: none was raised */
	uint8_t hold_s;
	uint16_t clean_s;    /* seconds since the last fault, at most
			      * ALARM_FORGIVEN_S */
	uint16_t cleared_s;  /* seconds since the alarm was cleared, at most
			      * ALARM_RETURN_S */
	uint64_t count;      /* faults in total */
	uint64_t changed_ms; /* wall clock time of the last change of raised */
	uint64_t last_ms;    /* wall clock time of the last fault; 0: none */
};

/* Ends a second with so many faults; true: the alarm was raised or cleared. */
bool alarm_second(struct alarm *, uint32_t faults, uint64_t wall_ms);

/* Clears the alarm, because its object is not watched any more.  The next fault
 * does not count as a return. */
void alarm_rest(struct alarm *, uint64_t wall_ms);
