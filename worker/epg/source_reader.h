/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the document of one source, from a file in helper threads or from a
 * server, into a buffer that its owner empties.
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
	SOURCE_LIMIT_S = 600, /* of a transfer */
	SOURCE_BUFFER = 1 << 20,
};

struct helpers;
struct source_reader;

/* What a file was when it was read; zeroed: it is read in any case. */
struct source_stamp {
	struct timespec changed;
	uint64_t inode, size;
};

/* Begins to read a source.  NULL with error. */
struct source_reader *source_reader_new(const struct epg_source_spec *,
				   const struct source_stamp *,
				   struct helpers *, struct errmsg *error);
/* NULL-safe; sets *s to NULL. */
void source_reader_free(struct source_reader **);

/* Continues to read.  1: there is more; 0: the whole document is in the buffer;
 * -EALREADY: the file has not changed since the stamp; another -errno with
 * error. */
int source_reader_turn(struct source_reader *, uint64_t now_ns,
		    struct errmsg *error) MUST_CHECK;
/* The buffer of the document.  Its owner takes bytes off the front. */
struct buf *source_reader_bytes(struct source_reader *);
struct source_stamp source_reader_stamp(const struct source_reader *);
