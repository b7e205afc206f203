/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The character tables of DVB text; only for text_decode.c and text_encode.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uchar.h>

/* Indexed by part and byte - 0xa0; 0: no character.  Part 12 does not exist. */
extern const uint16_t charset_8859[16][96];

/* Indexed by lead byte - 0xa1 and trail byte - 0xa1; 0: no character. */
extern const uint16_t charset_gb2312[94][94];
extern const uint16_t charset_ksx1001[94][94];

/* ISO/IEC 6937 by byte - 0xa0, with the euro sign of EN 300 468 figure A.1;
 * 0: the byte alone is not a character. */
extern const uint16_t charset_6937[96];

/* The mark (U+03xx) that the lead byte adds to the next letter; 0: not a lead
 * byte. */
char16_t charset_6937_mark(uint8_t lead);
/* The lead byte for a mark, or 0. */
uint8_t charset_6937_lead(uint32_t mark);

/* The single character for a letter and a mark; 0: there is none. */
char16_t charset_compose(uint32_t letter, uint32_t mark);
/* Divides a character into letter and mark; false when it is not a letter with
 * a mark. */
bool charset_decompose(uint32_t character, char *ret_letter,
		       char16_t *ret_mark);
