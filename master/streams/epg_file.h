/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file of the programme guide, saved or exported: copies it to memory and
 * back in a thread, because a disk may not answer.
 *
 * Borrows the loop.
 */
#pragma once

#include "common/base/errmsg.h"

#include <stddef.h>

struct epg_file;
struct ev_loop;

struct epg_file *epg_file_new(struct ev_loop *, const char *path);
/* As epg_file_new(), for an export: other users may read the file. */
struct epg_file *epg_file_new_public(struct ev_loop *, const char *path);
/* NULL-safe; sets *f to NULL.  Does not wait for the thread; no callback
 * follows. */
void epg_file_free(struct epg_file **);

/* Gets memory with the content of the file (borrowed), or -errno. */
typedef void epg_file_read_fn(int fd, void *arg);
/* Reads the file into memory.  The callback gets -EFBIG for more than max
 * bytes. */
void epg_file_read(struct epg_file *, size_t max, epg_file_read_fn *,
		   void *arg);

/* result: 0, or -errno with error. */
typedef void epg_file_written_fn(int result, const struct errmsg *error,
				 void *arg);
/* Replaces the file by the first len bytes of the memory fd (borrowed). */
void epg_file_write(struct epg_file *, int fd, size_t len,
		    epg_file_written_fn *, void *arg);
