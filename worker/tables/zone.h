/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The offset of a time zone from UTC, and its next change, from a file of the
 * tz database (RFC 8536).
 *
 * Pure.  A malformed file is an error, never a read beyond its bytes.
 */
#pragma once

#include "common/base/util.h"

#include <stddef.h>
#include <stdint.h>

/* Seconds.  change_at 0: the offset does not change again. */
struct zone_offset {
	int offset_s;      /* east of UTC */
	int64_t change_at; /* Unix time */
	int next_s;        /* offset from then on */
};

/* Finds the offset at this Unix time.  0, or -EBADMSG for a file that is not
 * TZif of version 2 or later. */
int zone_at(const uint8_t *file, size_t len, int64_t unix_s,
	    struct zone_offset *ret) MUST_CHECK;

/* As zone_at(), by the rule at the end of such a file:
 * "CET-1CEST,M3.5.0,M10.5.0/3".  0, or -EBADMSG. */
int zone_rule_at(const char *rule, int64_t unix_s,
		 struct zone_offset *ret) MUST_CHECK;
