/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps earlier versions of a file: FILE.1 is the newest of them. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include "common/document/document.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	REVISIONS_MAX = 10,
	REVISION_AUTHOR_MAX = 255, /* bytes */
};

struct revision {
	unsigned n; /* number of the revision; 0: the file itself */
	int64_t time_s; /* Unix time at which its content was written */
	uint64_t bytes;
	char digest[DOCUMENT_DIGEST_TEXT];
	/* logins of the users who wrote the content; "": unknown */
	char author[REVISION_AUTHOR_MAX + 1];
};

/* A writer names the content that it expects in the file; the write adds which
 * content it has replaced. */
struct former {
	/* digest of the content that the writer expects in the file; "": it
	 * expects none */
	char known[DOCUMENT_DIGEST_TEXT];
	bool continues; /* make no revision of this content */

	/* results: */
	bool replaced; /* the file has the new content, even if the write failed
			* later */
	bool is_other; /* it has replaced a content that was not expected */
	bool kept;     /* the content that it has replaced is FILE.1 */
	struct errmsg lost; /* why that content, or an older one, is not kept;
			     * or empty */
};

/*
 * Calls replace_file(), and keeps the former content: it becomes FILE.1, FILE.1
 * becomes FILE.2 and so on, and the oldest revision is removed.  Equal content
 * makes no revision; content that was not expected makes one in any case, even
 * if it cannot be read.  Blocks.  The result is that of replace_file(); a
 * former content that cannot be kept does not change it.
 */
int revisions_replace(const char *path, const void *data, size_t len,
		      struct former *, struct errmsg *error) MUST_CHECK;

/*
 * Records who made the content of the file, as the attribute
 * user.sluice.author of the file, which follows it to FILE.1 and so on.  A file
 * system without attributes forgets it.  Blocks.
 */
void revisions_sign(const char *path, const char *author);

/* Appends to list ("olga, carl") the logins of more, which has the same form.
 * Leaves out logins that list has already, and logins for which it has no
 * room. */
void revisions_add_authors(char list[REVISION_AUTHOR_MAX + 1],
			   const char *more);

/* The file and its revisions that are readable, the newest first; returns their
 * number.  Blocks. */
size_t revisions_list(const char *path,
		      struct revision ret[REVISIONS_MAX + 1]);

/* The name of a revision, which need not exist; free() it. */
char *revisions_path(const char *path, unsigned n);
