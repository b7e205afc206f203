/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * UTF-8 (RFC 3629): validation, decoding and encoding.
 *
 * Overlong forms, surrogates, characters above U+10FFFF and truncated ones are
 * invalid.  U+0000 is valid.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	UTF8_MAX = 4,                 /* bytes of a character */
	UTF8_REPLACEMENT = 0xfffd,
};

bool utf8_is_valid(const void *text, size_t len);

/* Replaces each byte that forms no character by '?'.  A precision such as %.64s
 * may leave the begin of a character. */
void utf8_repair(char *text);

/* Decodes the first character of len > 0 bytes; returns its length.  A byte
 * that begins no character decodes as UTF8_REPLACEMENT of length 1. */
size_t utf8_get(const void *text, size_t len, uint32_t *ret);

/* Encodes a character, an invalid one as UTF8_REPLACEMENT; returns its
 * length. */
size_t utf8_put(uint32_t character, char ret[UTF8_MAX]);
