/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One sentence that explains an error to the user.
 *
 * Code that checks input takes a last `struct errmsg *error` (may be NULL).
 * The sentence names the field first: "input[0].port: 70000 is not a port".
 * The API returns the sentence unchanged.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>

struct errmsg {
	char text[256];
};

/* Writes the sentence, truncated at the end of a UTF-8 character if it exceeds
 * the size of text.  Invalid bytes become '?'.  error may be NULL. */
void errmsg_set(struct errmsg *error, const char *format, ...)
	PRINTF_LIKE(2, 3);

/* Writes the sentence and returns err (a negative errno) for the caller. */
int errmsg_fail(struct errmsg *error, int err, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* Inserts text, usually the path of the field, before the sentence. */
void errmsg_prefix(struct errmsg *error, const char *format, ...)
	PRINTF_LIKE(2, 3);

/* Are both sentences equal apart from their numbers, such as a count of
 * seconds? */
bool errmsg_is_alike(const char *a, const char *b);
