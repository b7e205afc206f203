/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A log file, written by a thread of its own: whoever logs never waits.
 *
 * Rotated into FILE.1 (the newest) to FILE.9 when the next line would make it
 * larger than it may be.  A file that was moved away is made anew.  Lines that
 * the disk does not take, or not in time, are dropped and counted; the count
 * is the first line that is written again.
 *
 * Owns the thread and the lines that wait.
 */
#pragma once

#include "common/base/util.h"

#include <stddef.h>
#include <stdint.h>

struct log_file;

enum {
	LOG_FILE_ARCHIVES = 9,
	LOG_FILE_WAITING_MAX = 1024 * 1024, /* bytes of lines */
};

/* max_size in bytes; 0: never rotated.  NULL when there is no thread. */
struct log_file *log_file_open(const char *path, uint64_t max_size);

/* What waits is still written, without waiting for it.  NULL-safe; sets *f to
 * NULL. */
void log_file_leave(struct log_file **);

/* Waits until what waits is written, a few seconds at most.  At the end of the
 * process.  NULL-safe; sets *f to NULL. */
void log_file_close(struct log_file **);

/* Another size from the next line on. */
void log_file_limit(struct log_file *, uint64_t max_size);

/* Whole lines with their ends. */
void log_file_write(struct log_file *, const char *lines, size_t len);

/* The -errno of the last write, told once for each time that it changes: 0
 * when all goes well again; 1 when there is nothing new. */
int log_file_news(struct log_file *);
