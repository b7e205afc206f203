/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replaces a configuration file that cannot be used by FILE.backup or by one of
 * the revisions FILE.1 to FILE.10.  Blocks; for the start of the service.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "common/document/document.h"

#include <jansson.h>

/* Functions of the service that read a configuration file. */
struct fallback_judge {
	/* Loads the file. 0 when the service can run with it, or -errno with
	 * error. */
	int (*load)(const char *path, json_t **ret, struct errmsg *error);
	/* Writes the digest of the content.  It does not depend on the
	 * layout. */
	void (*digest)(const json_t *document,
		       char ret[DOCUMENT_DIGEST_TEXT]);
};

struct fallback_query {
	const char *path;
	const char *good; /* digest of the preferred content; "": none */
	const char *bad;  /* digest of the content to skip; "": none */
	const struct fallback_judge *judge;
};

/* The newest usable document with the digest `good'; if there is none, the
 * newest usable one.  *ret_source is the name of its file; free() it.  NULL: no
 * file is usable, and *ret_source is unchanged. */
json_t *fallback_find(const struct fallback_query *, char **ret_source);

/*
 * Saves the content of the file as FILE.broken-<time> and writes document to
 * the file.  0, or -errno with error.  *ret_kept is the name of the copy, also
 * when the write failed; free() it.  NULL: the copy failed and the file is
 * unchanged.
 */
int fallback_put(const char *path, const json_t *document, char **ret_kept,
		 struct errmsg *error) MUST_CHECK;
