/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CLOCK_REALTIME since 1970, for time stamps that leave the process.  It can
 * jump; use common/base/mono.h for delays. */
#pragma once

#include <stdint.h>

uint64_t wall_ns(void);
uint64_t wall_ms(void);

enum { WALL_TEXT_MAX = 40 };

/* Writes the local time with its zone, because the reader may be in another
 * zone: "2026-11-23 23:40:12 CET". */
void wall_format(char text[WALL_TEXT_MAX]);
/* Writes a Unix time in the form of wall_format(). */
void wall_format_at(int64_t at_s, char text[WALL_TEXT_MAX]);
