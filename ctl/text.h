/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text for a terminal: how wide it is there, and made harmless.
 *
 * Widths need a UTF-8 locale for LC_CTYPE, which main() sets.
 */
#pragma once

#include "common/base/buf.h"

#include <stddef.h>
#include <stdint.h>

/* Columns that text takes; what is no character counts as one. */
size_t text_width(const char *text);

/*
 * Appends text in exactly width columns: padded with blanks, before it when
 * right, or cut, with "…" as its last column.  Controls, and what would turn
 * the direction of writing, become '?': names come from elsewhere.
 */
void text_fit(struct buf *to, const char *text, size_t width, int right);

/* Appends all of it, made harmless. */
void text_plain(struct buf *to, const char *text);

/* "480 kbit/s", "12.3 Mbit/s" */
void text_rate(char ret[32], int64_t kbit);
/* "42 s", "12 min", "3 h 20 min", "12 d 4 h" */
void text_duration(char ret[32], int64_t seconds);
