/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts lines of the log and keeps the last one: log_open(log_lines_take,
 * &lines, …).  Zeroed memory takes all lines. */
#pragma once

#include "common/base/log.h"

#include <stdio.h>
#include <string.h>

struct log_lines {
	const char *part; /* the lines that count have it; NULL: all count */
	unsigned n;
	char last[512];
};

static inline void log_lines_take(enum log_level level, const char *component,
				  const char *text, void *arg)
{
	struct log_lines *l = arg;

	(void)level, (void)component;
	if (l->part != NULL && strstr(text, l->part) == NULL)
		return;
	l->n++;
	(void)snprintf(l->last, sizeof l->last, "%s", text);
}
