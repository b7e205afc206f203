/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The XMLTV documents for viewers and exports: the worker of the guide writes
 * one document at a time to memory, and all requests for the same channels
 * share it.
 *
 * A document is reused for EPG_DOC_FRESH_S, or for EPG_DOC_AGE_S if the guide
 * does not change.  At most EPG_DOCS_MAX documents are kept, which together
 * have at most EPG_DOCS_BYTES_MAX.  At most EPG_DOC_WANTS_MAX documents for
 * viewers wait to be written.  This limit does not apply to exports
 * (epg_exports.h), so that viewers do not block them.
 *
 * Borrows the guide's process, which must be freed before.
 */
#pragma once

#include "common/base/buf.h"
#include "common/base/util.h"
#include "master/streams/epg_proc.h"

#include <stdbool.h>

enum {
	EPG_DOCS_MAX = 8,
	EPG_DOCS_BYTES_MAX = 256 << 20,
	EPG_DOC_WANTS_MAX = 16,
	EPG_DOC_FRESH_S = 10,
	EPG_DOC_AGE_S = 60,
};

struct epg_docs;
struct epg_doc_wait;

struct epg_doc_kind {
	unsigned form; /* enum epg_form */
	bool export;   /* for an export; false: for a viewer */
};

struct epg_docs *epg_docs_new(struct epg_proc *);
/* NULL-safe; sets *d to NULL.  No receiver may wait any more. */
void epg_docs_free(struct epg_docs **);

/* Requests a document for these channels (JSON of epg.xmltv; text is taken, and
 * empty afterwards).  Calls done once, with the document or an error.  Returns
 * the wait; NULL: done was called before this function returned. */
struct epg_doc_wait *epg_docs_get(struct epg_docs *, struct buf *text,
				  struct epg_doc_kind, epg_done_fn *done,
				  void *arg);
/* Cancels a wait: done is not called any more. */
void epg_doc_wait_cancel(struct epg_doc_wait *);
