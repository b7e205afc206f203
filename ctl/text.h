/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text for a terminal: width in columns, and neutralised control characters.
 *
 * Widths need a UTF-8 locale for LC_CTYPE, which main() sets.
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
 * and direction marks become '?', because names come from outside.
 */
void text_fit(struct buf *to, const char *text, size_t width, int right);

/* Appends the whole text; control characters become '?'. */
void text_plain(struct buf *to, const char *text);

/* Writes "480 kbit/s", "12.3 Mbit/s". */
void text_rate(char ret[32], int64_t kbit);
/* Writes "14:03:05"; of another day "2026-11-24 14:03". */
void text_clock(char ret[32], int64_t unix_time);
/* Appends " (since 14:03:05)"; nothing for 0. */
void text_since(struct buf *to, int64_t unix_time);
/* Appends the begin of a reason, and that of the state `what' if it is more
 * than 2 s from it: " (since 14:03:05; off air since 13:58:00)".  0: not
 * known, omitted. */
void text_since_both(struct buf *to, int64_t reason, int64_t state,
		     const char *what);
/* Writes "42 s", "12 min", "3 h 20 min", "12 d 4 h". */
void text_duration(char ret[32], int64_t seconds);
/* As text_duration(), from this time on until now. */
void text_age(char ret[32], int64_t unix_time);
