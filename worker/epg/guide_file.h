/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loads a guide from a file, and saves it to memory, a part at a time.  The
 * file has a record (guide_record.h) for each event, and behind all events a
 * record for each service whose stream has an SDT, so that a former version
 * that knows events only can read all events.  The file of a former version has
 * the services first, or events only, or a line of JSON for each event.
 *
 * Loader and saver own their descriptor and borrow the guide.
 */
#pragma once

#include "worker/epg/guide.h"

enum {
	GUIDE_FILE_PART = 64 * 1024, /* bytes of a part */
	GUIDE_LINE_MAX = 1 << 20, /* bytes of the longest record or line */
};

struct guide_loader;
struct guide_saver;

/* Loads a guide from fd, which is taken. */
struct guide_loader *guide_loader_new(int fd, struct guide *);
/* NULL-safe; sets *l to NULL. */
void guide_loader_free(struct guide_loader **);
/* Reads the next part of the file; false: the file has ended or cannot be
 * read. */
bool guide_loader_run(struct guide_loader *, int64_t now_s);
/* The number of records and lines that could not be read. */
uint64_t guide_loader_unreadable(const struct guide_loader *);

/* Saves the guide to fd (shared_create()), which is taken.  A guide has only
 * one saver at a time. */
struct guide_saver *guide_saver_new(int fd, struct guide *);
void guide_saver_free(struct guide_saver **);
/* Writes a part.  Returns 1: call it again; 0: that was the last part; -ENOSPC:
 * the memory is too small; or another -errno. */
int guide_saver_run(struct guide_saver *) MUST_CHECK;
/* The number of bytes that were written. */
size_t guide_saver_len(const struct guide_saver *);
