/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last hour of a stream, second by second.
 *
 * Allocates memory for five minutes at a time: 3,000 bytes each, 36,000 in all.
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

/* Adds the second that ended at about this Unix time as the next one, so that
 * reports that come a little early or late leave no gap.  If time_s differs by
 * two seconds or more, it decides: the seconds in between are unknown, or, if
 * the sample is early, it is added to the last second.  If the clock was set
 * back, the hour begins again. */
void hour_add(struct hour *, int64_t time_s, const struct hour_sample *);
/* Replaces the last second, if there is one. */
void hour_amend(struct hour *, const struct hour_sample *);

/* Returns the bytes of memory in use. */
size_t hour_memory(const struct hour *);

/* --- from master to master --- */

/* Number of the layout of the bytes; increment it with each change. */
enum { HOUR_LAYOUT = 1 };

/* Returns how many bytes hour_write() writes. */
size_t hour_size(const struct hour *);
/* Writes the seconds to the bytes; returns the record that describes them, a
 * new reference. */
json_t *hour_write(const struct hour *, uint8_t *to);
/* Returns the number of bytes of a record; 0: it is not valid, or has no
 * seconds. */
size_t hour_size_of(const json_t *record);
/* Takes the seconds of a record, with its hour_size_of() bytes.  An hour that
 * already has samples stays, because they are newer. */
void hour_take(struct hour *, const json_t *record, const uint8_t *from);

/*
 * Returns the seconds after since_s, a new reference:
 *
 *	{ "first": 1795171201, "columns": { "bitrate": [8012, …],
 *	  "cc_error": […], "pes_error": […], "scrambled": […],
 *	  "onair": […], "input": […] } }
 *
 * An unknown second is null.  first: Unix time of the first value; if there is
 * none, of the next second (now_s if the hour is empty).
 */
json_t *hour_report(const struct hour *, int64_t since_s, int64_t now_s);
