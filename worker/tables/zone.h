/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The offset of a time zone from UTC, and its next change, from a file of the
 * tz database (RFC 8536).
 *
 * Pure.  A malformed file causes an error, and no byte behind its end is read.
 */
#pragma once

#include "common/base/util.h"

#include <stddef.h>
#include <stdint.h>

/* The offset of a time zone at a time, in seconds east of UTC, and its next
 * change. */
struct zone_offset {
	int offset_s;      /* the offset, seconds east of UTC */
	int64_t change_at; /* Unix time of the next change; 0: the offset does
			    * not change again */
	int next_s;        /* offset from change_at on */
};

/* Finds the offset at this Unix time.  Returns 0, or -EBADMSG for a file that
 * is not TZif of version 2 or later. */
int zone_at(const uint8_t *file, size_t len, int64_t unix_s,
	    struct zone_offset *ret) MUST_CHECK;

/* As zone_at(), by a rule as at the end of such a file:
 * "CET-1CEST,M3.5.0,M10.5.0/3".  Returns 0, or -EBADMSG for a malformed rule,
 * or a time before 1970 if the rule has changes. */
int zone_rule_at(const char *rule, int64_t unix_s,
		 struct zone_offset *ret) MUST_CHECK;
