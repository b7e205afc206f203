/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The codes of compressed text (EN 300 468 annex A.2: first byte 0x1f, then
 * encoding_type_id), from the operator's file.
 *
 * The file is text in UTF-8 of at most TEXT_DICTIONARY_MAX bytes.  '#' begins a
 * comment.  `encoding N' (0 to 255) begins the codes of an encoding_type_id;
 * each line behind it is a code:
 *
 *	FROM BITS TO
 *
 * FROM: the character before, as U+0041; `start' at the begin; `any' for each
 * of these that has no codes of its own.  BITS: 1 to 32 digits 0 and 1, the
 * first one is sent first.  TO: the character that follows; `stop' for the end;
 * `escape' for bytes of UTF-8 that follow as they are, up to the first one
 * below 0x80, which is the last character of them, or the end if it is below
 * 0x20.  No code of a FROM begins another one.
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
	TEXT_DICTIONARY_NODES = 1 << 20, /* of the trees of all codes */
	/* Bytes of UTF-8 of len bytes of compressed text, with the NUL: a bit
	 * is a character. */
#define TEXT_INFLATED_SIZE(len) (32 * (size_t)(len) + 1)
};

struct text_dictionary;

/* Parses the file of a dictionary.  NULL with error, which begins with the
 * line. */
struct text_dictionary *text_dictionary_parse(const char *text, size_t len,
					      struct errmsg *error);
/* NULL-safe; sets *d to NULL. */
void text_dictionary_free(struct text_dictionary **);

/* Is the text compressed, by its first byte? */
bool text_is_compressed(const uint8_t *data, size_t len);
/* Has the dictionary (NULL: none) codes for the compressed text? */
bool text_dictionary_has(const struct text_dictionary *, const uint8_t *data,
			 size_t len);

/* Writes the UTF-8 of a compressed text and a NUL; returns the length without
 * it.  As text_decode(), writes no control characters but '\n', and ends after
 * a whole character when size (> 0) is too small.  Bits without a code become
 * U+FFFD, which ends the text; an incomplete code at the end is omitted.  The
 * result is U+FFFD alone where text_dictionary_has() is false. */
size_t text_dictionary_decode(const struct text_dictionary *d,
			      const uint8_t *data, size_t len, char *ret,
			      size_t size);
