/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keys of a stream object about its own service information.  Plain data;
 * zeroed memory is the default: the tables of the source pass.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "proto/spec/field.h"

#include <stdint.h>

enum {
	TIMEZONE_MAX = 63, /* bytes */
	OFFSET_MIN_MIN = -720,
	OFFSET_MAX_MIN = 780,
	OFFSET_ABSENT = 32767,
};

/* Where a table of the output comes from. */
enum table_origin {
	ORIGIN_PASS, /* the source */
	ORIGIN_OWN,
	ORIGIN_OFF,  /* there is none */
};

/* What becomes of an own clock while that of the system is not synchronised. */
enum clock_lost {
	CLOCK_KEEP,
	CLOCK_STOP,
	CLOCK_SOURCE,
};

struct tables_spec {
	enum table_origin tdt; /* and TOT */
	char timezone[TIMEZONE_MAX + 1];
	char country[4]; /* "" or three capital letters */
	int offset_min; /* OFFSET_ABSENT: that of the time zone */
	enum clock_lost clock_lost;
};

/* "pass", "own", "off", and what follows a clock that is lost; NULL ends
 * them. */
extern const char *const table_origins[], *const clock_lost_words[];

extern const struct field_hook timezone_hook, country_hook;
