/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The alarm that an output of a stream cannot send.
 *
 * It is raised by the third second in a row with an error and cleared by the
 * fifth without: one that is tried again and again does not flicker.
 *
 * Owns a copy of the error.  Embedded; zeroed memory: nothing is wrong.
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
	bool told;    /* as an event, that it is raised */
	uint8_t in_s; /* seconds in a row that speak against what it is */
	char *reason; /* the last error while it is raised, or NULL */
};

/* Ends a second; error: why nothing could be sent, NULL when it could. */
void output_fault_second(struct output_fault *, const char *error);

/* Nothing is known of the output any more: it is cleared. */
void output_fault_rest(struct output_fault *);
