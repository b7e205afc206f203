/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One sentence that says why outside input was refused.
 *
 * Code that judges input takes a last `struct errmsg *why` (may be NULL) and
 * names the field first: "input[0].port: 70000 is not a port".  The API shows
 * the sentence to the user as it stands.
 */
#pragma once

#include "common/base/util.h"

struct errmsg {
	char text[256];
};

/* Writes the sentence (cut when too long); why may be NULL. */
void errmsg_set(struct errmsg *why, const char *format, ...)
	PRINTF_LIKE(2, 3);

/* Writes the sentence and returns err (a negative errno) for the caller. */
int errmsg_fail(struct errmsg *why, int err, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* Puts the place in front of what is there. */
void errmsg_prefix(struct errmsg *why, const char *format, ...)
	PRINTF_LIKE(2, 3);
