/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last lines of the log, in memory of a fixed size.
 *
 * Each line has a number, which is one more than that of the line before.  The
 * oldest lines make room for new ones.  Pure.
 */
#pragma once

#include "common/base/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LOG_LINES_MAX = 10000,
	LOG_LINES_BYTES = 1024 * 1024,
	LOG_LINES_TEXT_MAX = 4096, /* bytes of a line; the rest is cut */
};

struct log_line {
	uint64_t n;
	int64_t time_ms; /* Unix time */
	enum log_level level;
	const char *component, *text; /* valid until the next line */
};

struct log_lines;

/* first: the number of the first line.  A number that grows from one start of
 * the process to the next, such as the time, keeps numbers from repeating. */
struct log_lines *log_lines_new(uint64_t first);
/* NULL-safe; sets *l to NULL. */
void log_lines_free(struct log_lines **);

/* Adds a copy of *line, with the next number; line->n is ignored. */
void log_lines_add(struct log_lines *, const struct log_line *line);

/* The numbers of the oldest line and of the next one.  Both are equal while
 * there is no line. */
uint64_t log_lines_first(const struct log_lines *);
uint64_t log_lines_next(const struct log_lines *);

/* Gets line n; false: the line is gone, or does not exist yet. */
bool log_lines_get(const struct log_lines *, uint64_t n,
		   struct log_line *ret);
