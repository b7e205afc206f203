/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A document of XMLTV, plain or in gzip, on its way into the guide: a part at
 * a time, so that neither a large document nor one that grows a thousandfold
 * holds the caller.
 *
 * Pure.  Borrows the guide.
 */
#pragma once

#include "common/base/buf.h"
#include "worker/epg/guide_import.h"

enum {
	IMPORT_PART = 256 * 1024, /* bytes after gzip */
	/* a document after gzip; the limit that operators know */
	IMPORT_BYTES_MAX = 1 << 30,
};

struct import_feed;

/* max: bytes of the document after gzip; one that is longer is refused. */
struct import_feed *import_feed_new(struct guide *, int64_t now_s, size_t max);
/* NULL-safe; sets *f to NULL.  The guide stays as it is. */
void import_feed_free(struct import_feed **);

/* Takes bytes off the front of the buffer, for one part.  last: the document
 * ends with them.  1: call it again, with the rest or with more bytes; 0: the
 * document has ended.  -errno with a sentence: it is refused. */
int import_feed_run(struct import_feed *, struct buf *bytes, bool last,
		    struct errmsg *error) MUST_CHECK;

/* Changes one service of the guide, after import_feed_run() returned 0.  True:
 * call it again. */
bool import_feed_commit(struct import_feed *,
			struct guide_import_counts *ret);

/* The number of programmes that the reader has refused. */
uint64_t import_feed_refused(const struct import_feed *);
const char *import_feed_first_refusal(const struct import_feed *);
