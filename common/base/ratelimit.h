/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lets the first few of a repeating thing through and counts the rest.
 *
 * Embedded; zeroed memory is a ready limit of `burst` per `window_ms`.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ratelimit {
	unsigned burst;     /* let through per window; 0 means 5 */
	unsigned window_ms; /* 0 means 10,000 */
	uint64_t started_ms;
	unsigned passed;
	unsigned suppressed;
};

/*
 * True when this one may pass at now_ms (monotonic).  *ret_suppressed is then
 * the number held back since the last that passed.
 */
bool ratelimit_pass(struct ratelimit *, uint64_t now_ms,
		    unsigned *ret_suppressed);
