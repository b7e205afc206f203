/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last hour of a stream, second by second.
 *
 * Allocates memory for five minutes at a time: 3,000 bytes, so 36,000 bytes for
 * the whole hour.
 * No clock: time is an argument.
 */
#pragma once

#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HOUR_SECONDS = 3600,
	HOUR_CHUNK_SECONDS = 300,
	HOUR_CHUNKS = HOUR_SECONDS / HOUR_CHUNK_SECONDS,
};

struct hour_sample {
	uint32_t bitrate_kbps;
	/* more than 65,535 are stored as 65,535 */
	uint32_t cc_error, pes_error;
	unsigned input; /* position of the active input; 0: none */
	bool onair, scrambled;
};

struct hour;

struct hour *hour_new(void);
/* NULL-safe; sets *h to NULL. */
void hour_free(struct hour **);

/* Adds a second that ended at about this Unix time.  It becomes the second
 * after the last one, so that a report that is a little early or late leaves no
 * gap.  If time_s is at least two seconds later than that second, the seconds
 * in between are unknown; if about an hour later, the hour begins again.  If
 * time_s is at least two seconds earlier than that second, the sample is merged
 * into the last one; if more than five seconds, the clock was set back, and the
 * hour begins again. */
void hour_add(struct hour *, int64_t time_s, const struct hour_sample *);
/* Replaces the last second, if there is one. */
void hour_amend(struct hour *, const struct hour_sample *);

/* Returns the bytes of memory in use. */
size_t hour_memory(const struct hour *);

/* --- from master to master --- */

/* Number of the layout of the bytes of hour_write(); increment the number with
 * each change of the layout. */
enum { HOUR_LAYOUT = 1 };

/* Returns how many bytes hour_write() writes. */
size_t hour_size(const struct hour *);
/* Writes the samples to hour_size() bytes; returns the record that describes
 * them, a new reference. */
json_t *hour_write(const struct hour *, uint8_t *to);
/* Returns the number of bytes of a record; 0: it is not valid, or has no
 * seconds. */
size_t hour_size_of(const json_t *record);
/* Takes the samples of a record from its hour_size_of() bytes.  Does nothing if
 * the hour already has samples, because they are newer. */
void hour_take(struct hour *, const json_t *record, const uint8_t *from);

/*
 * Returns the seconds after since_s, a new reference:
 *
 *	{ "first": 1795171201, "columns": { "bitrate": [8012, …],
 *	  "cc_error": […], "pes_error": […], "scrambled": […],
 *	  "onair": […], "input": […] } }
 *
 * An unknown second has the value null.  first: Unix time of the first value.
 * Without values it is the time of the next second, or now_s if the hour is
 * empty.
 */
json_t *hour_report(const struct hour *, int64_t since_s, int64_t now_s);
