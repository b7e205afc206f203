/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides when a failed operation is tried again: after 1, 2, 4, 8 and then
 * every 10 seconds.  For a socket it is after 1 second and then every 2
 * seconds: a socket is cheap to open, and may fail only until its interface or
 * address exists.
 */
#pragma once

#include "common/base/units.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	RETRY_FIRST_S = 1,
	RETRY_SOON_S = 2,
	RETRY_LAST_S = 10,
};

/* Embedded; zeroed memory is due at once. */
struct retry {
	unsigned delay_s; /* the last delay; 0: no failure */
	uint64_t at_ns; /* time of the next attempt */
};

static inline bool retry_is_due(const struct retry *r, uint64_t now_ns)
{
	return now_ns >= r->at_ns;
}

static inline void retry_after(struct retry *r, unsigned most_s,
			       uint64_t now_ns)
{
	r->delay_s = r->delay_s == 0 ? (unsigned)RETRY_FIRST_S
				     : MIN(r->delay_s * 2, most_s);
	r->at_ns = now_ns + r->delay_s * SECOND_NS;
}

static inline void retry_failed(struct retry *r, uint64_t now_ns)
{
	retry_after(r, RETRY_LAST_S, now_ns);
}

static inline void retry_soon(struct retry *r, uint64_t now_ns)
{
	retry_after(r, RETRY_SOON_S, now_ns);
}

static inline void retry_worked(struct retry *r)
{
	*r = (struct retry){ 0 };
}
