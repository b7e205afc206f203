/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Formats text for a terminal: measures its width in columns, and replaces
 * control characters.
 *
 * Widths are right only with a UTF-8 locale for LC_CTYPE, which main() sets.
 */
#pragma once

#include "common/base/buf.h"

#include <stddef.h>
#include <stdint.h>

/* The width of text in columns; an invalid byte or a control character counts
 * as one. */
size_t text_width(const char *text);

/*
 * Appends text in exactly width columns: padded with blanks (on the left if
 * right is true), or truncated with "…" in the last column.  Control characters
 * and direction marks become '?', because names from a network could contain
 * them.
 */
void text_fit(struct buf *to, const char *text, size_t width, int right);

/* Appends the whole text; control characters and direction marks become '?'. */
void text_plain(struct buf *to, const char *text);

/* Writes a rate: "480 kbit/s", "12.3 Mbit/s". */
void text_rate(char ret[32], int64_t kbit);
/* Writes a time of today as "14:03:05", of another day as "2026-11-24
 * 14:03". */
void text_clock(char ret[32], int64_t unix_time);
/* Appends " (since 14:03:05)"; nothing if the time is 0. */
void text_since(struct buf *to, int64_t unix_time);
/* Appends the time since which a reason holds.  If the time since which the
 * state `what' holds differs by more than 2 s, appends it, too: " (since
 * 14:03:05; off air since 13:58:00)".  A time that is 0 is not known and is
 * omitted. */
void text_since_both(struct buf *to, int64_t reason, int64_t state,
		     const char *what);
/* Writes a duration: "42 s", "12 min", "3 h 20 min", "12 d 4 h". */
void text_duration(char ret[32], int64_t seconds);
/* Writes the time from unix_time until now as text_duration() does. */
void text_age(char ret[32], int64_t unix_time);
