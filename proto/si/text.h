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

/* Tables for written text, by the numbers of option textcode: n is ISO/IEC
 * 8859-n. */
enum text_table {
	TEXT_ISO_6937 = 0, /* the default of DVB */
	TEXT_ISO_8859_1 = 1,
	TEXT_ISO_8859_5 = 5,
	TEXT_ISO_8859_9 = 9,
	TEXT_ISO_8859_15 = 15,
	TEXT_UTF8 = 21,
};

enum {
	/* The largest UTF-8 of len bytes of DVB text, in bytes with the NUL. */
#define TEXT_UTF8_SIZE(len) (3 * (size_t)(len) + 1)
	TEXT_DESC_MAX = 255, /* most bytes of text in a descriptor */
};

/*
 * Writes the UTF-8 for DVB text, whose first bytes may name its table, and a
 * NUL; returns the length without it.  The result is valid UTF-8 without
 * control characters, except '\n' at the end of a line; an invalid byte becomes
 * U+FFFD.  Ends after a whole character when size (> 0) is less than
 * TEXT_UTF8_SIZE(len).
 */
size_t text_decode(const uint8_t *data, size_t len, char *ret, size_t size);
/* As text_decode(), but a text that names no table is in the table `unnamed',
 * not in ISO 6937.  text_table_ok(unnamed) must be true. */
size_t text_decode_as(const uint8_t *data, size_t len,
		      enum text_table unnamed, char *ret, size_t size);

/* Can text be written in this table? */
bool text_table_ok(unsigned table);

/*
 * The table to write a text in: the wanted one if it has each character or one
 * that can stand in for it, else the first part of ISO/IEC 8859 that has all
 * characters, else UTF-8.
 */
enum text_table text_table_for(const char *utf8, enum text_table wanted);

/*
 * Writes UTF-8 as DVB text: the bytes that name the table, then the characters.
 * Returns the length, 0 for "".  Ends after a whole character when more than
 * size bytes would be needed.  A character that the table lacks is replaced by
 * the nearest one (the letter without its mark, otherwise '?') and counted in
 * *ret_lost, which may be NULL.  text_table_ok(table) must be true.
 */
size_t text_encode(const char *utf8, enum text_table table, uint8_t *ret,
		   size_t size, size_t *ret_lost);
