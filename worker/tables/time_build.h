/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds TDT and TOT (EN 300 468 5.2.5 and 5.2.6). */
#pragma once

#include "worker/remux/section_writer.h"

#include <stddef.h>
#include <stdint.h>

enum {
	TDT_LEN = 8,
	TOT_LEN = 29, /* length with one country */
};

/* The local time of a country, for the local_time_offset_descriptor. */
struct tot_zone {
	char country[4]; /* country code of three letters (ISO 3166-1) */
	int offset_min; /* minutes east of UTC */
	int64_t change_at; /* Unix time of the next change */
	int next_min; /* offset from change_at on, in minutes east of UTC */
};

/* Write a time as five bytes (EN 300 468 annex C), and a duration as three
 * bytes, at most 99:59:59. */
void write_time(struct section_writer *, int64_t unix_s);
void write_duration(struct section_writer *, unsigned s);

void tdt_build(int64_t unix_s, uint8_t ret[TDT_LEN]);
void tot_build(int64_t unix_s, const struct tot_zone *,
	       uint8_t ret[TOT_LEN]);
