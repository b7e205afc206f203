/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides when each section of service information is sent.
 *
 * A sub-table (PID, table_id, extension) has an interval, in which each of its
 * sections is sent once.  The sections are spread over the interval, at least
 * SCHEDULE_GAP_MS apart (EN 300 468 5.1.4); if there are too many, the cycle
 * takes longer than the interval.  A sub-table whose sections have different
 * intervals has several parts, one for each interval.  After a change the
 * sections of a sub-table are sent one right after another, except those of an
 * EIT schedule.  A clock is a section that names the second in which it is sent
 * (TDT, TOT).  It is built each time, and is due in the first SCHEDULE_CLOCK_MS
 * of a second.  If schedule_next() was not called in these milliseconds, the
 * clock is due at any time in the last second of its interval.
 *
 * EIT have a rate of their own.  Present/following is always due in time.  EIT
 * schedules get the rest of the rate, and their cycle takes longer if that is
 * too little.
 *
 * Pure.  Owns copies of the sections.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* sub-tables and parts: more than the EIT of EIT_SERVICES_MAX services
	 * have */
	SCHEDULE_TABLES_MAX = 10 * 1024,
	SCHEDULE_SECTIONS_MAX = 256, /* sections of a sub-table */
	SCHEDULE_GAP_MS = 25,
	SCHEDULE_CLOCK_MS = 60,
	SCHEDULE_CLOCK_LEN = 64, /* bytes of the longest clock */
};

struct schedule;

struct schedule_key {
	uint16_t pid;
	uint8_t table_id;
	uint16_t extension;
	uint16_t part; /* 0, or the number of the part of the sub-table */
};

/* Whether a table is an EIT, which shares the rate of the EIT. */
enum schedule_class {
	SCHEDULE_TABLE,   /* the table is not an EIT */
	SCHEDULE_PRESENT, /* EIT present/following */
	SCHEDULE_GUIDE,   /* EIT schedule */
};

struct schedule_terms {
	unsigned interval_ms;
	enum schedule_class class;
};

/* Writes the section for this second and returns its length; 0: no section is
 * sent now. */
typedef size_t schedule_clock_fn(int64_t unix_s, void *arg,
				 uint8_t ret[SCHEDULE_CLOCK_LEN]);

struct schedule_section {
	const uint8_t *data;
	size_t len;
};

struct schedule_due {
	uint16_t pid;
	bool clock; /* a clock, which must not wait */
	enum schedule_class class;
	const uint8_t *data; /* borrowed until the next call */
	size_t len;
};

struct schedule *schedule_new(void);
/* NULL-safe; sets *s to NULL. */
void schedule_free(struct schedule **);

/* Replaces the sections of a sub-table.  If they have changed, a section is due
 * at once, or SCHEDULE_GAP_MS after the last section that was sent.  n 0:
 * removes the sub-table.  False: there are too many sub-tables or sections,
 * and the schedule is unchanged. */
bool schedule_set(struct schedule *, const struct schedule_key *,
		  unsigned interval_ms, const struct schedule_section *,
		  size_t n);
/* As schedule_set(), which sets SCHEDULE_TABLE, with another class. */
bool schedule_set_terms(struct schedule *, const struct schedule_key *,
			const struct schedule_terms *,
			const struct schedule_section *, size_t n);
bool schedule_set_clock(struct schedule *, const struct schedule_key *,
			unsigned interval_ms, schedule_clock_fn *, void *arg);

/* Sets the rate of all EIT together in kbit/s; 0: no limit, as at the start. */
void schedule_set_eit_rate(struct schedule *, unsigned kbps);
/* The rate in kbit/s of whole packets that all EIT need for their intervals. */
unsigned schedule_eit_need(const struct schedule *);

/* Finds the next section that is due; it counts as sent.  False: no section is
 * due.  without_guide: no section of an EIT schedule is due. */
bool schedule_next(struct schedule *, uint64_t now_ns, uint64_t unix_ms,
		   bool without_guide, struct schedule_due *ret);
