/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses JSON text from outside strictly; formats JSON text for a file. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct buf;

enum {
	DOCUMENT_DEPTH_MAX = 64,
	DOCUMENT_SIZE_MAX = 64 * 1024 * 1024,
	/* Values in a request: its arrays, objects and commas count.  At the
	 * worst such a request takes about 30 ms of the loop and 30 MiB. */
	DOCUMENT_VALUES_MAX = 200000,
	DOCUMENT_FILE_VALUES_MAX = 2000000,
	DOCUMENT_DIGEST_TEXT = 64 + 1, /* SHA-256 in hex, and the NUL */
};

/*
 * Parses a text that is a single JSON value.  Rejects a byte order mark, NUL
 * bytes, invalid JSON ("line 3, column 7: …"), a repeated key in an object,
 * strings that are not UTF-8, deeper nesting than DOCUMENT_DEPTH_MAX, and more
 * values than DOCUMENT_VALUES_MAX.  Returns a new reference, or NULL with
 * error.
 */
json_t *document_parse(const char *data, size_t len, struct errmsg *error);

/* Parses a file like document_parse(), with up to DOCUMENT_FILE_VALUES_MAX
 * values.  0; -ENOENT: no such file; -EBADMSG: the content is rejected; another
 * -errno: the file cannot be read. */
int document_load(const char *path, json_t **ret,
		  struct errmsg *error) MUST_CHECK;

/*
 * As document_load(), for a caller that may know the content: digest is that of
 * the content that it knows, or "".  *ret stays NULL if the file still has this
 * content; otherwise digest becomes that of the new content.
 */
int document_load_changed(const char *path, char digest[DOCUMENT_DIGEST_TEXT],
			  json_t **ret, struct errmsg *error) MUST_CHECK;

/* Writes the SHA-256 of the data in hex; "" if there is no memory. */
void document_digest(const void *data, size_t len,
		     char ret[DOCUMENT_DIGEST_TEXT]);

/* Appends the content of a file to ret, which keeps a part of it when this
 * fails.  0; -EFBIG above DOCUMENT_SIZE_MAX; another -errno. */
int document_read(const char *path, struct buf *ret) MUST_CHECK;

enum { DOCUMENT_NARROWED = 01000 };

/* The mode of the file, if other users than its owner and group may open it;
 * otherwise 0.  narrow: takes these rights away; the result has
 * DOCUMENT_NARROWED when they are gone. */
unsigned document_open_mode(const char *path, bool narrow);

/* Formats the document as indented text, with the keys in their order and a
 * newline at the end.  The caller frees it. */
char *document_format(const json_t *document, size_t *ret_len);
