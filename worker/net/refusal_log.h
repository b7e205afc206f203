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

enum { REFUSALS_LOG_MS = 60000 };

/* Embedded; zeroed memory has told nothing. */
struct refusals {
	struct ratelimit log;
	struct errmsg told; /* what was told last ... */
	uint64_t told_ms;   /* ... and when */
	unsigned again;     /* refusals since that were not */
};

/* n of them, of the last of which why tells who and why; who refuses is
 * "srt port 9000". */
void refusals_note(struct refusals *, const char *protocol, unsigned port,
		   const struct errmsg *why, unsigned n, uint64_t now_ms);

/* Once a second: how many were not told. */
void refusals_second(struct refusals *, const char *protocol, unsigned port,
		     uint64_t now_ms);
