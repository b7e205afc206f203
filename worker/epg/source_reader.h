/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the document of one source into a buffer, which the owner of the reader
 * empties: from a file, in helper threads, or from a server.
 *
 * Owns its transfer; borrows the specification and the helpers.
 */
#pragma once

#include "common/base/buf.h"
#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "proto/spec/epg_source.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum {
	SOURCE_LIMIT_S = 600, /* time limit of a transfer */
	/* bytes in the buffer at which a transfer pauses */
	SOURCE_BUFFER = 1 << 20,
};

struct helpers;
struct source_reader;

/* Identifies the state of a file when it was read.  Zeroed: no file has this
 * state, so it is read in any case. */
struct source_stamp {
	struct timespec changed; /* time of the last modification */
	uint64_t inode, size;
};

/* Begins to read a source.  A file that still has the state of the stamp is not
 * read.  NULL: see error. */
struct source_reader *source_reader_new(const struct epg_source_spec *,
				   const struct source_stamp *,
				   struct helpers *, struct errmsg *error);
/* NULL-safe; sets *s to NULL. */
void source_reader_free(struct source_reader **);

/* Continues to read.  Returns 1: call it again; 0: the whole document was read
 * into the buffer; -EALREADY: the file has not changed since the stamp; another
 * -errno with error. */
int source_reader_turn(struct source_reader *, uint64_t now_ns,
		    struct errmsg *error) MUST_CHECK;
/* The buffer of the document, from whose front the caller takes bytes. */
struct buf *source_reader_bytes(struct source_reader *);
struct source_stamp source_reader_stamp(const struct source_reader *);
