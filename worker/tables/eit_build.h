/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds the EIT of a service from its events (EN 300 468 5.2.4, TS 101 211
 * 4.1.4): present and following, and the schedule in segments of three hours.
 *
 * An event is in the segment of its start.  Segments before the present one are
 * empty, and the schedule begins with the present day (in UTC).  A segment
 * without events has one section without events.  If the events of a segment
 * need more than eight sections, the last events are dropped and counted.
 * While no event is present, section 0 of present/following is empty, and
 * section 1 has the next event.
 *
 * Pure.
 */
#pragma once

#include "worker/tables/eit_image.h"
#include "worker/ts/section.h"

#include <stdbool.h>

enum {
	EIT_TABLES = 8, /* tables (table_ids) of a schedule, for 32 days */
	EIT_DAY_SECTIONS = 64, /* section numbers of a day in its table */
	EIT_TABLE_DAYS = 4, /* days in a table of the schedule */
};

struct eit_format {
	uint16_t sid, tsid, onid;
	uint8_t version;
	bool other;   /* build EIT other, of another transport stream */
	/* free_CA_mode of all events; with `other' each event has its own */
	bool free_ca;
	/* running_status of the present event; 0: "running" is written.  With
	 * `other' a running_status in the event has precedence. */
	uint8_t running;
};

struct eit_built {
	size_t sections; /* sections that were passed to the function */
	size_t dropped; /* events without room in their segment */
};

/* Writes section `number' (0 or 1) of present/following; returns its length. */
size_t eit_build_present(const struct eit_format *, struct eit_items,
			 int64_t now_s, unsigned number,
			 uint8_t ret[SECTION_MAX]);
/* The Unix time from which on eit_build_present() builds other sections of the
 * same events; INT64_MAX: it does not. */
int64_t eit_next_change(struct eit_items, int64_t now_s);
/* The Unix time from which on eit_build_table() builds other sections of the
 * same events: the begin of the next segment. */
int64_t eit_next_segment(int64_t now_s);

/* The number of tables of the schedule, from 1 to EIT_TABLES. */
unsigned eit_tables(struct eit_items, int64_t now_s);

typedef void eit_section_fn(const uint8_t *section, size_t len, void *arg);

/* Passes the sections of table number `table' (from 0) of the schedule to the
 * function. */
struct eit_built eit_build_table(const struct eit_format *, struct eit_items,
				 int64_t now_s, unsigned table,
				 eit_section_fn *, void *arg);
