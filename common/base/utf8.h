/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * UTF-8 (RFC 3629): is it sound, which characters is it made of?
 *
 * No overlong forms, no surrogates, nothing above U+10FFFF, nothing cut.
 * U+0000 is a character like any other.
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

/* The first character of len > 0 bytes, and how many of them it takes; a byte
 * that begins none is UTF8_REPLACEMENT and one byte. */
size_t utf8_get(const void *text, size_t len, uint32_t *ret);

/* Writes a character, UTF8_REPLACEMENT for what is none; its length. */
size_t utf8_put(uint32_t character, char ret[UTF8_MAX]);
