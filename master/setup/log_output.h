/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the lines of the log to stderr, a file and the system's log.
 *
 * It is the log sink of the process while it exists.  Before the settings are
 * known it writes to stderr, and keeps the lines for file and syslog.
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
/* stderr alone again.  Waits for the disk, a few seconds at most.  NULL-safe;
 * sets *o to NULL. */
void log_output_free(struct log_output **);

/* At once; does not wait. */
void log_output_apply(struct log_output *, const struct log_settings *);

/* -errno with the reason while the lines for the file are dropped; 0: they are
 * written, or no file is set; 1: it is being opened. */
int log_output_error(struct log_output *, struct errmsg *ret) MUST_CHECK;

/* The last lines, borrowed.  NULL-safe. */
const struct log_lines *log_output_lines(const struct log_output *);

/* Waits until the file has all lines, a few seconds at most: before the program
 * is replaced. */
void log_output_flush(struct log_output *);
