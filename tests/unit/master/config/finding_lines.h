/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The findings of a check as text. */
#pragma once

#include "master/config/check.h"

#include <stdio.h>
#include <string.h>

enum { FINDING_LINES = 1024 };

/* A check_found_fn: adds a line to char[FINDING_LINES] for each finding; errors
 * are marked. */
static inline void finding_lines_add(enum check_severity severity,
				     const char *path, const char *text,
				     void *arg)
{
	char *all = arg;
	size_t len = strlen(all);

	(void)snprintf(all + len, FINDING_LINES - len, "%s%s: %s\n",
		       severity != CHECK_WARNING ? "E " : "", path, text);
}
