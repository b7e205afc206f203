/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads values of options from text: numbers and flags.  0, or -EINVAL with a
 * sentence that lacks the key: "70000 is not between 1 and 65535".
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the text that option_words() writes. */
enum { OPTION_WORDS_TEXT = 192 };

/* Writes "128, 192 or 256" from n words.  The text is cut where it does not
 * fit. */
void option_words(const char *const *words, size_t n,
		  char text[OPTION_WORDS_TEXT]);

/* Reads a number from len bytes of decimal digits; it must be between min and
 * max. */
int option_number(const char *text, size_t len, unsigned min, unsigned max,
		  unsigned *ret, struct errmsg *error) MUST_CHECK;

/* The path in "/a" or "file:///a"; NULL: the text has neither form. */
const char *option_path(const char *text);

/* Replaces escapes such as %41 in place; false: an escape is broken or is that
 * of NUL. */
bool option_percent_decode(char *text) MUST_CHECK;

/* Reads a flag: "", "true" and "1" are true, "false" and "0" are false.  0, or
 * -EINVAL for other text. */
int option_flag(const char *text, bool *ret, struct errmsg *error) MUST_CHECK;
