/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The programme guide: the events of the services of all streams.
 *
 * A service has the programs of the PAT of its stream only.  Its events are in
 * the order of their start and do not overlap.  A section that has not changed
 * is not read again.  The rules:
 *  - An event replaces the event with the same id, and each event that it
 *    overlaps.  Both are counted.
 *  - If it has the same id, start and title, and less text, the old text stays:
 *    present and following events often have no details.
 *  - An event without start or duration is dropped and counted.
 *  - A gap stays a gap.
 *  - An event that ended GUIDE_PAST_S ago is removed.  An event that begins
 *    after the days of the limit, or exceeds the services or bytes of the
 *    limit, is dropped and counted.
 *
 * Pure: no clock, no I/O.
 */
#pragma once

#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	GUIDE_PAST_S = 3 * 3600,
	GUIDE_PROGRAMS_MAX = 64, /* of a stream */
	GUIDE_EVENTS_MAX = 4096, /* of a service */
};

struct guide;

struct guide_limits {
	unsigned services, days;
	size_t bytes;
};

struct guide_counts {
	size_t services, events, bytes;
	/* since the start */
	uint64_t replaced;  /* events that overlapped a newer one */
	uint64_t undefined; /* events without start or duration */
	uint64_t dropped;   /* events beyond a limit */
	uint64_t broken;    /* sections, descriptors and texts that were cut */
};

struct guide_span {
	int64_t from_s, to_s, now_s;
	size_t max;
};

struct guide *guide_new(const struct guide_limits *);
/* NULL-safe; sets *g to NULL. */
void guide_free(struct guide **);

/* The programs of the stream: only their events are kept. */
void guide_set_programs(struct guide *, const char *stream,
			const uint16_t *numbers, size_t n);
/* Takes a whole section with a valid CRC_32.  True: events of the stream have
 * changed. */
bool guide_take_section(struct guide *, const char *stream,
			const uint8_t *section, size_t len, int64_t now_s);
void guide_remove_stream(struct guide *, const char *stream);

/* Removes the events of the past. */
void guide_expire(struct guide *, int64_t now_s);

struct guide_counts guide_count(const struct guide *);

/*
 * The events of the stream that are not over at from_s and begin before to_s,
 * at most max:
 * {"services": [{"pnr", "now", "next", "events": […], "cut": true}]}, a new
 * reference.  cut: the service has more.  NULL: there is no such stream.
 */
json_t *guide_read(const struct guide *, const char *stream,
		   const struct guide_span *);

/* All streams as JSON, a new reference, for guide_load(). */
json_t *guide_save(const struct guide *);
/* Adds the streams of a saved guide, which may have any content. */
void guide_load(struct guide *, const json_t *saved, int64_t now_s);
