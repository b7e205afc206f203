/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts text of DVB tables (EN 300 468 annex A) from and to UTF-8.
 *
 * Pure: uses only the caller's memory and its own character tables.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character tables in which text is written, with the numbers of the key
 * textcode: 1 to 15 are the parts of ISO/IEC 8859. */
enum text_table {
	TEXT_ISO_6937 = 0, /* the default table of EN 300 468 */
	TEXT_ISO_8859_1 = 1,
	TEXT_ISO_8859_5 = 5,
	TEXT_ISO_8859_9 = 9,
	TEXT_ISO_8859_15 = 15,
	TEXT_UTF8 = 21,
};

enum {
	/* Most bytes of the UTF-8 for len bytes of DVB text, with the NUL. */
#define TEXT_UTF8_SIZE(len) (3 * (size_t)(len) + 1)
	TEXT_DESC_MAX = 255, /* most bytes of text in a descriptor */
};

/*
 * Decodes DVB text, whose first bytes may select its character table, to UTF-8
 * with a NUL; returns the length without the NUL.  The result is valid UTF-8
 * without control characters, except '\n' for a line break; an invalid byte
 * becomes U+FFFD.  If the text does not fit into size (> 0) bytes, it ends
 * after a whole character; TEXT_UTF8_SIZE(len) bytes are always enough.
 */
size_t text_decode(const uint8_t *data, size_t len, char *ret, size_t size);
/* As text_decode(), but a text that selects no table is in the table `unnamed'
 * in place of ISO 6937.  text_table_ok(unnamed) must be true. */
size_t text_decode_as(const uint8_t *data, size_t len,
		      enum text_table unnamed, char *ret, size_t size);

/* Is it the number of a table in which text can be written? */
bool text_table_ok(unsigned table);

/*
 * Returns the table in which to write a text: the wanted one if it has each
 * character or a replacement other than '?'; otherwise a part of ISO/IEC 8859
 * that has all characters (5 to 15 are tried before 1 to 4); otherwise UTF-8.
 */
enum text_table text_table_for(const char *utf8, enum text_table wanted);

/*
 * Writes UTF-8 as DVB text: the bytes that select the table, then the
 * characters.  Returns the length; 0 for "".  If more than size bytes would be
 * needed, the text ends after a whole character.  A character that the table
 * lacks is counted in *ret_lost, which may be NULL, and replaced by the nearest
 * one: by its letter without the mark, by similar ASCII characters, or by '?'.
 * text_table_ok(table) must be true.
 */
size_t text_encode(const char *utf8, enum text_table table, uint8_t *ret,
		   size_t size, size_t *ret_lost);
