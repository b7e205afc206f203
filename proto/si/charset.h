/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The character tables of DVB text; only for text_decode.c and text_encode.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uchar.h>

/* The Unicode characters of ISO/IEC 8859, by part and byte - 0xa0; 0: the byte
 * has no character.  Part 12 does not exist. */
extern const uint16_t charset_8859[16][96];

/* The Unicode characters by first byte - 0xa1 and second byte - 0xa1; 0: the
 * bytes have no character. */
extern const uint16_t charset_gb2312[94][94];
extern const uint16_t charset_ksx1001[94][94];

/* The Unicode characters of ISO/IEC 6937, by byte - 0xa0, with the euro sign of
 * EN 300 468 figure A.1; 0: the byte alone is no character. */
extern const uint16_t charset_6937[96];

/* Returns the combining mark (U+03xx) that a lead byte of ISO/IEC 6937 adds to
 * the letter behind it; 0: the byte is no lead byte. */
char16_t charset_6937_mark(uint8_t lead);
/* Returns the lead byte for a mark; 0: there is none. */
uint8_t charset_6937_lead(uint32_t mark);

/* Returns the single character for a letter with a mark; 0: there is none. */
char16_t charset_compose(uint32_t letter, uint32_t mark);
/* Divides a character into its letter and its mark; false: it is not a letter
 * with a mark. */
bool charset_decompose(uint32_t character, char *ret_letter,
		       char16_t *ret_mark);
