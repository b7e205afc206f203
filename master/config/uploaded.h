/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Remembers the digest of the uploaded document that is in the configuration
 * file.
 *
 * The document is known from the end of its write until another document
 * replaces it.  A write that fails changes neither the file nor what is known.
 */
#pragma once

#include "common/base/util.h"
#include "common/document/save.h"
#include "master/config/loadable.h"

#include <jansson.h>

struct uploaded {
	/* loadable_digest() of the upload; "": none */
	char digest[SECRET_TEXT];
	unsigned forgotten;       /* number of calls of uploaded_forget() */
};

struct uploaded_write;

/* To be called when a change replaces the uploaded document in the file, or is
 * about to. */
void uploaded_forget(struct uploaded *);

/* To be called when a write begins. document: the upload; NULL: the write is of
 * another document.  Pass the result to uploaded_end() at the end, which calls
 * done and frees it. */
struct uploaded_write *uploaded_begin(struct uploaded *, const json_t *document,
				      save_done_fn *done, void *arg);

/* A save_done_fn; write is the result of uploaded_begin(). */
void uploaded_end(int result, const struct errmsg *error, void *write);
