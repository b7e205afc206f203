/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The alarm output_fault of one output.
 *
 * Three seconds in a row with an error raise it, five without an error clear
 * it, so that retries do not toggle the alarm.
 *
 * Owns a copy of the error.  Embedded; zeroed memory is a cleared alarm.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	OUTPUT_FAULT_RAISE_S = 3,
	OUTPUT_FAULT_CLEAR_S = 5,
};

struct output_fault {
	bool raised;
	bool reported; /* the event of the alarm was sent */
	uint8_t in_s; /* seconds in a row that contradict the state */
	char *reason; /* the last error while raised, or NULL */
};

/* Once a second; error: why the output could not send, or NULL. */
void output_fault_every_second(struct output_fault *, const char *error);

/* Clears the alarm without delay, when the state of the output is unknown. */
void output_fault_clear(struct output_fault *);
