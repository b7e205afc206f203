/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last hour of a stream, second by second.
 *
 * Takes memory for five minutes at a time: 3,000 bytes each, 36,000 in all.
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
	uint32_t cc_error, pes_error; /* 65,535 stands for more, too */
	unsigned input; /* position of the active one; 0: none */
	bool onair, scrambled;
};

struct hour;

struct hour *hour_new(void);
/* NULL-safe; sets *h to NULL. */
void hour_free(struct hour **);

/* Adds the second that ended at about this Unix time: the next place, so that
 * reports that come a little early or late leave no gap.  From two seconds on
 * the time decides: seconds between the last one and this one are unknown, and
 * a sample too many is added to the last one.  When the clock was set back the
 * hour begins again. */
void hour_add(struct hour *, int64_t time_s, const struct hour_sample *);
/* Replaces the last second, if there is one. */
void hour_amend(struct hour *, const struct hour_sample *);

/* Bytes of memory in use. */
size_t hour_memory(const struct hour *);

/* --- from master to master --- */

/* The layout of the bytes: another one has another number. */
enum { HOUR_LAYOUT = 1 };

/* How many bytes hour_write() writes. */
size_t hour_size(const struct hour *);
/* Writes the seconds and returns what the bytes are, a new reference. */
json_t *hour_write(const struct hour *, uint8_t *to);
/* How many bytes belong to such a record; 0: it is not valid, or has none. */
size_t hour_size_of(const json_t *record);
/* Takes the seconds of a record and its bytes, hour_size_of() in number.  An
 * hour that has samples stays: they are newer. */
void hour_take(struct hour *, const json_t *record, const uint8_t *from);

/*
 * The seconds behind since_s, a new reference:
 *
 *	{ "first": 1795171201, "columns": { "bitrate": [8012, …],
 *	  "cc_error": […], "pes_error": […], "scrambled": […],
 *	  "onair": […], "input": […] } }
 *
 * An unknown second is null.  first: the time of the first sample, or of the
 * next one if there is none: now_s before any sample.
 */
json_t *hour_report(const struct hour *, int64_t since_s, int64_t now_s);
