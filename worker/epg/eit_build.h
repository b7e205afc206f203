/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds the EIT of a service from its events (EN 300 468 5.2.4, TS 101 211
 * 4.1.4): present and following, and the schedule in segments of three hours.
 *
 * An event is in the segment of its start; those before the present day (in
 * UTC) are in none.  A segment without events has an empty section, and one
 * with more than eight sections loses the last events, which are counted.
 * While no event is present, section 0 is empty and the next event follows.
 *
 * Pure.
 */
#pragma once

#include "worker/epg/event_write.h"
#include "worker/ts/section.h"

struct eit_format {
	uint16_t sid, tsid, onid;
	uint8_t version;
	struct event_format event;
};

struct eit_built {
	size_t sections;
	size_t dropped; /* events without room in their segment */
	size_t cut;     /* texts */
};

/* The events of the service by their start; they do not overlap. */
struct eit_events {
	const struct guide_event *const *list;
	size_t n;
};

/* Section number 0 or 1 of present and following; returns its length. */
size_t eit_build_present(const struct eit_format *, struct eit_events,
			 int64_t now_s, unsigned number,
			 uint8_t ret[SECTION_MAX]);
/* When eit_build_present() changes; INT64_MAX: with other events only. */
int64_t eit_next_change(struct eit_events, int64_t now_s);

typedef void eit_section_fn(const uint8_t *section, size_t len, void *arg);

/* The schedule of the present day and the next ones, at most 32 in all. */
struct eit_built eit_build_schedule(const struct eit_format *,
				    struct eit_events, int64_t now_s,
				    eit_section_fn *, void *arg);
