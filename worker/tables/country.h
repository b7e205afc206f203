/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The country of a time zone, for the TOT. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Finds the country of a time zone in `list', which is zone.tab of the tz
 * database.  Writes its code of three letters.  False: the file does not name
 * the zone, or names an unknown country for it. */
bool country_of_zone(const char *list, size_t len, const char *zone,
		     char ret[4]);
