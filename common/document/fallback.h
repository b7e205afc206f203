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

/* How the service reads a file. */
struct fallback_judge {
	/* 0 when the service can run with it, or -errno with the error. */
	int (*load)(const char *path, json_t **ret, struct errmsg *error);
	/* The digest of the content; the layout does not matter. */
	void (*digest)(const json_t *document,
		       char ret[DOCUMENT_DIGEST_TEXT]);
};

struct fallback_query {
	const char *path;
	const char *good; /* the digest that is preferred; "": none */
	const char *bad;  /* the digest that does not count; "": none */
	const struct fallback_judge *judge;
};

/* The newest usable one, or NULL.  *ret_source is its file; free() it. */
json_t *fallback_find(const struct fallback_query *, char **ret_source);

/*
 * Keeps the content of the file as FILE.broken-<time> and puts document there.
 * *ret_kept is that name, free() it; NULL when it could not be kept, with an
 * error: the file is unchanged then.
 */
int fallback_put(const char *path, const json_t *document, char **ret_kept,
		 struct errmsg *error) MUST_CHECK;
