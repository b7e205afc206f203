/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A log file, written by a helper thread, so that no caller waits.
 *
 * Before a line would exceed the maximum size, the file is rotated to FILE.1
 * (the newest) to FILE.9.  A file that was moved or removed is created again.
 * If the disk is full or too slow, lines are dropped; the next line that is
 * written reports their number.  A file that cannot be written is tried again
 * every few seconds.  A symbolic link is not followed (-ELOOP).  A file that
 * does not begin as a log of this program is not appended to (-EEXIST); such an
 * archive is not replaced (-ENOTUNIQ).  A file that cannot be rotated continues
 * to grow.
 *
 * Owns the thread and the queued lines.
 */
#pragma once

#include "common/base/util.h"

#include <stddef.h>
#include <stdint.h>

struct log_file;

enum {
	LOG_FILE_ARCHIVES = 9,
	LOG_FILE_WAITING_MAX = 1024 * 1024, /* bytes of queued lines */
	LOG_FILE_RETRY_S = 5,
};

/* max_size in bytes, 0: no rotation.  NULL if no thread can be started. */
struct log_file *log_file_open(const char *path, uint64_t max_size);

/* Returns at once; the thread writes the queued lines and ends.  NULL-safe;
 * sets *f to NULL. */
void log_file_leave(struct log_file **);

/* Waits a few seconds at most until the queued lines are written; for the end
 * of the process.  NULL-safe; sets *f to NULL. */
void log_file_close(struct log_file **);

/* Changes the maximum size from the next line on. */
void log_file_limit(struct log_file *, uint64_t max_size);

/* Queues whole lines with their newlines. */
void log_file_write(struct log_file *, const char *lines, size_t len);

/* The result of the last attempt to open, write or rotate the file: 0 or
 * -errno; 1: the first attempt has not ended.  *ret_dropped is the number of
 * lines dropped since the last written one. */
int log_file_result(struct log_file *, unsigned *ret_dropped);

/* Reports each change of the result of writing once: -errno after a failure, 0
 * after recovery; 1 if nothing has changed. */
int log_file_news(struct log_file *);
