/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds the EIT of a service from its events (EN 300 468 5.2.4, TS 101 211
 * 4.1.4): present and following, and the schedule in segments of three hours.
 *
 * An event is in the segment of its start.  Segments before the present one are
 * empty, and those before the present day (in UTC) do not exist.  A segment
 * without events has an empty section, and one with more than eight sections
 * loses the last events, which are counted.  While no event is present, section
 * 0 is empty and the next event follows.  The running_status of a present event
 * of another transport stream may be in the event.
 *
 * Pure.
 */
#pragma once

#include "worker/tables/eit_image.h"
#include "worker/ts/section.h"

#include <stdbool.h>

enum {
	EIT_TABLES = 8, /* of a schedule: 32 days */
	EIT_DAY_SECTIONS = 64, /* section numbers of a day in its table */
	EIT_TABLE_DAYS = 4,
};

struct eit_format {
	uint16_t sid, tsid, onid;
	uint8_t version;
	bool other;   /* of another transport stream */
	/* free_CA_mode; that of other transport streams is in their events */
	bool free_ca;
	/* running_status of the service, which is that of its present event; 0:
	 * it is running */
	uint8_t running;
};

struct eit_built {
	size_t sections;
	size_t dropped; /* events without room in their segment */
};

/* Writes section 0 or 1 of present and following; returns its length. */
size_t eit_build_present(const struct eit_format *, struct eit_items,
			 int64_t now_s, unsigned number,
			 uint8_t ret[SECTION_MAX]);
/* The Unix time at which eit_build_present() gives other sections; INT64_MAX:
 * only other events change them. */
int64_t eit_next_change(struct eit_items, int64_t now_s);
/* The Unix time at which eit_build_table() gives other sections: that of the
 * next segment. */
int64_t eit_next_segment(int64_t now_s);

/* The number of tables of the schedule, from 1 to EIT_TABLES. */
unsigned eit_tables(struct eit_items, int64_t now_s);

typedef void eit_section_fn(const uint8_t *section, size_t len, void *arg);

/* Passes the sections of table number `table' (from 0) of the schedule to the
 * function. */
struct eit_built eit_build_table(const struct eit_format *, struct eit_items,
				 int64_t now_s, unsigned table,
				 eit_section_fn *, void *arg);
