/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decodes compressed text (EN 300 468 annex A.2: first byte 0x1f, second byte
 * encoding_type_id) with the codes in a file of the operator.
 *
 * The file is text in UTF-8 of at most TEXT_DICTIONARY_MAX bytes.  '#' begins a
 * comment.  `encoding N' (0 to 255) begins the codes of an encoding_type_id;
 * each line behind it is a code:
 *
 *	FROM BITS TO
 *
 * FROM: the previous character, as U+0041; `start': the begin of the text;
 * `any': every FROM that has no codes of its own.  BITS: 1 to 32 digits 0 and
 * 1, in the order of the bits in the text.  TO: the character that the code
 * means, as U+0041; `stop': the end of the text; `escape': bytes of UTF-8
 * follow uncoded.  The first of these bytes below 0x80 is their last character;
 * if it is below 0x20, the text ends.  No code of a FROM may be the begin of
 * another code of this FROM.
 *
 * Pure.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TEXT_DICTIONARY_MAX = 1 << 20,
	TEXT_DICTIONARY_CODES = 65536,
	TEXT_DICTIONARY_FROMS = 4096,
	TEXT_DICTIONARY_NODES = 1 << 20, /* nodes in the trees of all codes */
	/* Most bytes of the UTF-8 for len bytes of compressed text, with the
	 * NUL: each bit may be a character of four bytes. */
#define TEXT_INFLATED_SIZE(len) (32 * (size_t)(len) + 1)
};

struct text_dictionary;

/* Parses the text of a dictionary file.  NULL with error, which begins with the
 * number of the line. */
struct text_dictionary *text_dictionary_parse(const char *text, size_t len,
					      struct errmsg *error);
/* NULL-safe; sets *d to NULL. */
void text_dictionary_free(struct text_dictionary **);

/* Is the text compressed, by its first byte? */
bool text_is_compressed(const uint8_t *data, size_t len);
/* Has the dictionary (NULL: none) codes for the compressed text? */
bool text_dictionary_has(const struct text_dictionary *, const uint8_t *data,
			 size_t len);

/* Decodes a compressed text to UTF-8 with a NUL; returns the length without the
 * NUL.  As text_decode(), writes no control characters but '\n', and ends after
 * a whole character if size (> 0) is too small.  Bits that are no code become
 * U+FFFD, which ends the text; an incomplete code at the end is omitted.  If
 * text_dictionary_has() is false, the result is one U+FFFD. */
size_t text_dictionary_decode(const struct text_dictionary *d,
			      const uint8_t *data, size_t len, char *ret,
			      size_t size);
