/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits repeating log lines: passes `burst` per `window_ms` and counts the
 * others.
 *
 * Embedded; zeroed memory is a limit with the defaults.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ratelimit {
	unsigned burst;     /* lines that pass per window; 0 means 5 */
	unsigned window_ms; /* length of a window; 0 means 10,000 */
	uint64_t started_ms; /* start of the present window */
	unsigned passed; /* lines that passed in this window */
	unsigned suppressed;
};

/* True if a line may pass at now_ms (monotonic).  Then *ret_suppressed is the
 * number of lines suppressed since the last line that passed. */
bool ratelimit_pass(struct ratelimit *, uint64_t now_ms,
		    unsigned *ret_suppressed);
