/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What went out lately, by a number made of its bytes, with the time and the
 * path that brought it.
 *
 * The newest stay: a second at 90 Mbit/s.  Embedded; zeroed memory is ready.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	TS_SEEN = 65536,
	TS_SEEN_WAYS = 4, /* places that a number may have */
	TS_SEEN_BOTH = 2, /* in the place of a path */
};

struct ts_seen_one {
	uint32_t hash;
	uint32_t at_ms : 29; /* wraps; 0: an empty place */
	uint32_t again : 1; /* more than once */
	uint32_t path : 2; /* that brought it */
};

struct ts_seen {
	struct ts_seen_one one[TS_SEEN];
};

/* now_ms is never 0. */
void ts_seen_note(struct ts_seen *, uint64_t hash, unsigned path,
		  uint32_t now_ms);

/* NULL when it was not seen. */
const struct ts_seen_one *ts_seen_find(const struct ts_seen *, uint64_t hash);

uint32_t ts_seen_age_ms(const struct ts_seen_one *, uint32_t now_ms);
