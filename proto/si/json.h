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
/* A new object at the end of the list, borrowed. */
json_t *si_add_object(json_t *list);
/* Converts the 40 bits of a UTC time (EN 300 468 annex C) to seconds since
 * 1970; false if they are no valid time. */
bool si_time(uint64_t mjd_bcd, int64_t *ret);
/* Converts the 24 bits of a duration to seconds; false if it is undefined or
 * invalid. */
bool si_duration(uint64_t bcd, uint32_t *ret);
/* The 40 bits of a UTC time (EN 300 468 annex C) as seconds since 1970; the key
 * is omitted when they are not a valid time. */
void si_put_time(json_t *object, const char *key, uint64_t mjd_bcd);

enum {
	SI_TIME_MAX = 2155593599, /* seconds since 1970: the last that fits */
};

/* The 40 bits of a UTC time up to SI_TIME_MAX. */
uint64_t si_to_time(uint64_t time_s);
/* The decimal digits of a number, four bits each. */
uint64_t si_to_bcd(uint64_t number);
/* n bits as decimal digits of four bits each; a digit above 9 keeps its value.
 * */
uint64_t si_bcd(uint64_t value, unsigned n);
