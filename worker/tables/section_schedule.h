/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When each section of service information is sent.
 *
 * A sub-table (PID, table_id, extension) has an interval, in which each of its
 * sections is sent once.  They are spread over it, at least SCHEDULE_GAP_MS
 * apart (EN 300 468 5.1.4): with too many of them the cycle grows.  A clock is
 * a section that names the second in which it is sent: it is made anew each
 * time, and is due in the first SCHEDULE_CLOCK_MS of a second only.
 *
 * Pure.  Owns copies of the sections.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SCHEDULE_TABLES_MAX = 128,
	SCHEDULE_SECTIONS_MAX = 256, /* of a sub-table */
	SCHEDULE_GAP_MS = 25,
	SCHEDULE_CLOCK_MS = 60,
	SCHEDULE_CLOCK_LEN = 64,
};

struct schedule;

struct schedule_key {
	uint16_t pid;
	uint8_t table_id;
	uint16_t extension;
};

/* Writes the section for this second and returns its length, 0: none now. */
typedef size_t schedule_clock_fn(int64_t unix_s, void *arg,
				 uint8_t ret[SCHEDULE_CLOCK_LEN]);

struct schedule_section {
	const uint8_t *data;
	size_t len;
};

struct schedule_due {
	uint16_t pid;
	bool clock; /* it must not wait */
	const uint8_t *data; /* borrowed until the next call */
	size_t len;
};

struct schedule *schedule_new(void);
/* NULL-safe; sets *s to NULL. */
void schedule_free(struct schedule **);

/* Replaces the sections of a sub-table, which are due at once if they have
 * changed; n 0: removes it.  False: there are too many sub-tables. */
bool schedule_set(struct schedule *, const struct schedule_key *,
		  unsigned interval_ms, const struct schedule_section *,
		  size_t n);
bool schedule_set_clock(struct schedule *, const struct schedule_key *,
			unsigned interval_ms, schedule_clock_fn *, void *arg);

/* The next section that is due; false: none is. */
bool schedule_next(struct schedule *, uint64_t now_ns, uint64_t unix_ms,
		   struct schedule_due *ret);
