/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts the fields of tables and descriptors into JSON objects. */
#pragma once

#include "proto/si/bits.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

void si_put_uint(json_t *object, const char *key, uint64_t value);
void si_put_bool(json_t *object, const char *key, bool value);
void si_put_string(json_t *object, const char *key, const char *value);
/* Puts DVB text (proto/si/text.h) into the object as UTF-8. */
void si_put_text(json_t *object, const char *key, struct bytes);
/* Puts plain ASCII, such as a language or country code; other bytes become
 * '?'. */
void si_put_ascii(json_t *object, const char *key, struct bytes);
void si_put_hex(json_t *object, const char *key, struct bytes);
/* Puts a new list into the object and returns it, borrowed. */
json_t *si_put_list(json_t *object, const char *key);
/* Appends a new object to the list and returns it, borrowed. */
json_t *si_add_object(json_t *list);
/* Converts the 40 bits of a UTC time (EN 300 468 annex C) to seconds since
 * 1970; false: they are no valid time. */
bool si_time(uint64_t mjd_bcd, int64_t *ret);
/* Converts the 24 bits of a duration (BCD, HHMMSS) to seconds; false: it is
 * undefined or invalid. */
bool si_duration(uint64_t bcd, uint32_t *ret);
/* Puts the 40 bits of a UTC time (EN 300 468 annex C) into the object as
 * seconds since 1970; nothing if they are no valid time. */
void si_put_time(json_t *object, const char *key, uint64_t mjd_bcd);

enum {
	SI_TIME_MAX = 2155593599, /* the last time that fits into 40 bits, in
				   * seconds since 1970 */
};

/* Converts seconds since 1970, at most SI_TIME_MAX, to the 40 bits of a UTC
 * time. */
uint64_t si_to_time(uint64_t time_s);
/* Converts a number to BCD: its decimal digits, four bits each. */
uint64_t si_to_bcd(uint64_t number);
/* Converts BCD of n bits to a number.  Four bits above 9 are no error: they
 * count as the digit 10 to 15. */
uint64_t si_bcd(uint64_t value, unsigned n);
