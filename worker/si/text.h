/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text in DVB tables (EN 300 468 annex A) and UTF-8, both ways.
 *
 * Pure: no memory but the caller's, no tables but our own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tables that text can be written in, by the numbers operators know
 * (textcode): n is ISO/IEC 8859-n. */
enum text_table {
	TEXT_ISO_6937 = 0, /* the default of DVB */
	TEXT_ISO_8859_1 = 1,
	TEXT_ISO_8859_5 = 5,
	TEXT_ISO_8859_9 = 9,
	TEXT_ISO_8859_15 = 15,
	TEXT_UTF8 = 21,
};

enum {
	/* What len bytes of DVB text become in UTF-8, at most, with the NUL. */
#define TEXT_UTF8_SIZE(len) (3 * (size_t)(len) + 1)
	TEXT_DESC_MAX = 255, /* bytes of text in a descriptor, at most */
};

/*
 * Writes the UTF-8 for DVB text, whose first bytes may name its table, and a
 * NUL; the length without it.  Always sound UTF-8 without control characters,
 * but for '\n' where a line ends: a byte that is no character becomes U+FFFD.
 * Cut after a whole character when size (> 0) is less than
 * TEXT_UTF8_SIZE(len).
 */
size_t text_decode(const uint8_t *data, size_t len, char *ret, size_t size);

/* Is there such a table to write in? */
bool text_table_ok(unsigned table);

/*
 * Writes UTF-8 as DVB text: the bytes that name the table, then the
 * characters.  The length, 0 for "".  Cut after a whole character when more
 * than size bytes would be needed.  What the table lacks is written as the
 * nearest it has (the letter without its mark, '?' at last) and counted in
 * *ret_lost, which may be NULL.  table must be text_table_ok().
 */
size_t text_encode(const char *utf8, enum text_table table, uint8_t *ret,
		   size_t size, size_t *ret_lost);
