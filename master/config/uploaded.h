/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which document the configuration file has from an upload.
 *
 * The document is known from the end of its write on, and until another one
 * takes its place.  A write that fails leaves the file, and what is known of
 * it, as it was.
 */
#pragma once

#include "common/base/util.h"
#include "common/document/save.h"
#include "master/config/loadable.h"

#include <jansson.h>

struct uploaded {
	char digest[SECRET_TEXT]; /* loadable_digest(); "": none */
	unsigned forgotten;       /* counts uploaded_forget() */
};

struct uploaded_write;

/* A change replaces the document, or is about to. */
void uploaded_forget(struct uploaded *);

/* A write begins: of this upload; NULL: of another document.  Its end is
 * uploaded_end() with the result, which calls done and frees it. */
struct uploaded_write *uploaded_begin(struct uploaded *, const json_t *document,
				      save_done_fn *done, void *arg);

/* A save_done_fn. */
void uploaded_end(int result, const struct errmsg *error, void *write);
