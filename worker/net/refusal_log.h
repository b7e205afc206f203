/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tells the log whom an end that is called has refused.
 *
 * Who is set wrong calls every few seconds, for days: the same of the same one
 * is told once in a minute, and how often it was when that is over.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/ratelimit.h"

#include <stdint.h>

enum { REFUSAL_LOG_MS = 60000 };

/* Embedded; zeroed memory has told nothing. */
struct refusal_log {
	struct ratelimit log;
	struct errmsg last; /* what was told last ... */
	uint64_t last_ms;   /* ... and when */
	unsigned more;      /* refusals since that were not */
};

/* n of them, of the last of which why tells who and why; who refuses is
 * "srt port 9000". */
void refusal_log_add(struct refusal_log *, const char *protocol, unsigned port,
		   const struct errmsg *error, unsigned n, uint64_t now_ms);

/* Once a second: how many were not told. */
void refusal_log_every_second(struct refusal_log *, const char *protocol,
                              unsigned port, uint64_t now_ms);
