/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The country of a time zone, for the TOT. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Is it the code of a country, of three capital letters (ISO 3166-1)? */
bool country_is_known(const char *three);

/* The country of a zone by zone.tab of the tz database; false: the file does
 * not name the zone, or not with a known country. */
bool country_of_zone(const char *list, size_t len, const char *zone,
		     char ret[4]);
