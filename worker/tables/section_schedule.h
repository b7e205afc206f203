/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When each section of service information is sent.
 *
 * A sub-table (PID, table_id, extension) has an interval, in which each of its
 * sections is sent once.  They are spread over it, at least SCHEDULE_GAP_MS
 * apart (EN 300 468 5.1.4): with too many of them the cycle grows.  A sub-table
 * whose sections have several intervals has several parts.  After a change,
 * except of a schedule of events, all its sections follow each other.  A clock
 * is a section that names the second in which it is sent: it is made anew each
 * time, and is due in the first SCHEDULE_CLOCK_MS of a second; if there was no
 * call then, at any time of the last second of its interval.
 *
 * EIT have a rate of their own.  Present and following events are always due in
 * time; the schedule has the rest of the rate, and its cycle grows if that is
 * too little.
 *
 * Pure.  Owns copies of the sections.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* parts: more than own EIT of EIT_SERVICES_MAX services have */
	SCHEDULE_TABLES_MAX = 10 * 1024,
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
	uint16_t part;
};

/* What shares the rate of the EIT. */
enum schedule_class {
	SCHEDULE_TABLE,   /* no EIT */
	SCHEDULE_PRESENT, /* present and following events */
	SCHEDULE_GUIDE,   /* a schedule of events */
};

struct schedule_terms {
	unsigned interval_ms;
	enum schedule_class class;
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
	enum schedule_class class;
	const uint8_t *data; /* borrowed until the next call */
	size_t len;
};

struct schedule *schedule_new(void);
/* NULL-safe; sets *s to NULL. */
void schedule_free(struct schedule **);

/* Replaces the sections of a sub-table, which are due at once if they have
 * changed; n 0: removes it.  False: there are too many sub-tables or
 * sections; nothing has changed. */
bool schedule_set(struct schedule *, const struct schedule_key *,
		  unsigned interval_ms, const struct schedule_section *,
		  size_t n);
/* As schedule_set(), with a class in the terms. */
bool schedule_set_terms(struct schedule *, const struct schedule_key *,
			const struct schedule_terms *,
			const struct schedule_section *, size_t n);
bool schedule_set_clock(struct schedule *, const struct schedule_key *,
			unsigned interval_ms, schedule_clock_fn *, void *arg);

/* Sets the rate of all EIT together; 0: no limit, as at the start. */
void schedule_set_eit_rate(struct schedule *, unsigned kbps);
/* The rate in kbit/s, in packets, that all EIT need for their intervals. */
unsigned schedule_eit_need(const struct schedule *);

/* Finds the next section that is due; false: none is.  without_guide: leaves
 * out schedules of events. */
bool schedule_next(struct schedule *, uint64_t now_ns, uint64_t unix_ms,
		   bool without_guide, struct schedule_due *ret);
