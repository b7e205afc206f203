/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the lines of the log to stderr, a file and syslog.
 *
 * It is the log sink of the process while it exists.  Until the settings are
 * known, writes to stderr, and keeps the first 32 lines for file and syslog.
 * Owns the file and the connection.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>

struct errmsg;
struct log_lines;
struct log_output;
struct log_settings;

struct log_output *log_output_new(void);
/* Closes file and syslog; later lines go only to stderr.  Waits for the disk,
 * at most a few seconds.  NULL-safe; sets *o to NULL. */
void log_output_free(struct log_output **);

/* Applies the settings at once; does not wait for the disk. */
void log_output_apply(struct log_output *, const struct log_settings *);

/* Returns 0: lines are written to the file, or no file is set; 1: it is being
 * opened; or -errno with the reason: the lines for the file are dropped, or
 * (-ENOTUNIQ) the file is not rotated and grows. */
int log_output_error(struct log_output *, struct errmsg *ret) MUST_CHECK;

/* Returns the last lines, borrowed.  NULL-safe. */
const struct log_lines *log_output_lines(const struct log_output *);

/* Waits until the file has all lines, at most a few seconds.  Call it before
 * the program is replaced. */
void log_output_flush(struct log_output *);
