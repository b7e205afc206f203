/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the configuration file in a thread, because a disk may be slow or not
 * answer.
 *
 * One read runs at a time.  A request during a read gets the result of the next
 * read, so that no result is older than its request.
 *
 * Owns an async watcher and the thread; borrows the loop.
 */
#pragma once

#include "common/base/errmsg.h"

#include <jansson.h>
#include <stdint.h>

struct ev_loop;
struct reader;

struct reader *reader_new(struct ev_loop *, const char *path);
/* NULL-safe; sets *r to NULL.  Waiting requests get -ECANCELED. */
void reader_free(struct reader **);

/* Called once, from the loop: 0 and the document (borrowed), or the result of
 * document_load() with error. */
typedef void reader_done_fn(int result, const json_t *document,
			    const struct errmsg *error, void *arg);

/* Requests a read.  known: what reader_version() was at the end of a read whose
 * result the caller has kept; 0: it has kept none.  If the file still has this
 * content, done may get 0 and NULL. */
void reader_read(struct reader *, uint64_t known, reader_done_fn *done,
		 void *arg);

/* The number of the last content, from 1: each new content has the next number.
 * Inside done, that of its document.  0: no read has ended, or the last one
 * found no document. */
uint64_t reader_version(const struct reader *);

/* The digest of that content; "": none. */
const char *reader_digest(const struct reader *);
