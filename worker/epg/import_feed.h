/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a document of XMLTV, plain or in gzip, into the guide: a part in each
 * call, so that neither a large document nor one that grows a thousandfold by
 * gzip blocks the caller.
 *
 * Pure.  Borrows the guide.
 */
#pragma once

#include "common/base/buf.h"
#include "worker/epg/guide_import.h"

enum {
	IMPORT_PART = 256 * 1024, /* bytes of a part, after gzip */
	/* bytes of the longest document, after gzip; the documented limit */
	IMPORT_BYTES_MAX = 1 << 30,
};

struct import_feed;

/* max: most bytes of the document after gzip, and of the file; a longer one is
 * rejected. */
struct import_feed *import_feed_new(struct guide *, int64_t now_s, size_t max);
/* NULL-safe; sets *f to NULL.  Without import_feed_commit() the guide has not
 * changed. */
void import_feed_free(struct import_feed **);

/* Takes the bytes of one part from the front of the buffer.  last: the document
 * ends with the bytes of the buffer.  Returns 1: call it again, with the rest
 * or with more bytes; 0: the document has ended; -errno with error: it is
 * rejected. */
int import_feed_run(struct import_feed *, struct buf *bytes, bool last,
		    struct errmsg *error) MUST_CHECK;

/* Changes one service of the guide, after import_feed_run() returned 0.  True:
 * call it again. */
bool import_feed_commit(struct import_feed *,
			struct guide_import_counts *ret);

/* import_feed_refused() returns the number of programmes that were rejected;
 * import_feed_first_refusal() returns why the first one was. */
uint64_t import_feed_refused(const struct import_feed *);
const char *import_feed_first_refusal(const struct import_feed *);
