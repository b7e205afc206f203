/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/document/document.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/fd.h"
#include "proto/wire/json_text.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODE_OTHERS 07u

/*
 * Counts values and nesting before the text is parsed, because two bytes of
 * text can become an object of two hundred bytes.  Characters in strings do
 * not count.
 */
static int judge_size(const char *data, size_t len, size_t values_max,
		      struct errmsg *error)
{
	bool in_string = false;
	size_t depth = 0, values = 0;

	for (size_t i = 0; i < len; i++) {
		char c = data[i];

		if (in_string && c == '\\')
			i++;
		else if (c == '"')
			in_string = !in_string;
		else if (in_string)
			continue;
		else if (c == '{' || c == '[')
			depth++, values++;
		else if ((c == '}' || c == ']') && depth > 0)
			depth--;
		else if (c == ',')
			values++;
		if (depth > DOCUMENT_DEPTH_MAX)
			return errmsg_fail(error, -E2BIG, "is nested deeper "
					   "than %d levels",
					   DOCUMENT_DEPTH_MAX);
		if (values > values_max)
			return errmsg_fail(error, -E2BIG, "has more than %zu "
					   "values", values_max);
	}
	return 0;
}

/* Names what the text may have, of which jansson names one alternative. */
static void explain(const json_error_t *e, struct errmsg *error)
{
	static const char *const sentences[][2] = {
		{ "'}' expected near ", "',' or '}' expected before " },
		{ "']' expected near ", "',' or ']' expected before " },
		{ "string or '}' expected near ",
		  "a key in double quotes expected, not " },
	};
	const char *text = e->text;
	const char *begin = "";

	for (size_t i = 0; i < ARRAY_LEN(sentences); i++)
		if (strncmp(text, sentences[i][0],
			    strlen(sentences[i][0])) == 0) {
			begin = sentences[i][1];
			text += strlen(sentences[i][0]);
			break;
		}
	errmsg_set(error, "line %d, column %d: %s%s", e->line, e->column, begin,
		   text);
}

static json_t *parse(const char *data, size_t len, size_t values_max,
		     struct errmsg *error)
{
	const char *nul = memchr(data, '\0', len);
	json_error_t e;
	json_t *document;

	if (len >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
		errmsg_set(error, "begins with a byte order mark: save it as "
			   "UTF-8 without one");
		return NULL;
	}
	/* jansson takes a NUL behind a value for the end of the text */
	if (nul != NULL) {
		errmsg_set(error, "has a NUL byte at %td", nul - data);
		return NULL;
	}
	if (judge_size(data, len, values_max, error) < 0)
		return NULL;
	document = json_loadb(data, len, JSON_REJECT_DUPLICATES |
					 JSON_DECODE_ANY, &e);
	if (document == NULL)
		explain(&e, error);
	return document;
}

json_t *document_parse(const char *data, size_t len, struct errmsg *error)
{
	return parse(data, len, DOCUMENT_VALUES_MAX, error);
}

int document_read(const char *path, struct buf *ret)
{
	/* a FIFO in the place of the file must not hang the start */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	int r;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		r = -errno;
	else if (S_ISDIR(st.st_mode))
		r = -EISDIR;
	else if (!S_ISREG(st.st_mode))
		r = -EINVAL;
	else
		r = fd_read_all(fd, DOCUMENT_SIZE_MAX, ret);
	fd_close(&fd);
	return r;
}

void document_digest(const void *data, size_t len,
		     char ret[DOCUMENT_DIGEST_TEXT])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	ret[0] = '\0';
	if (!EVP_Digest(data, len, digest, &n, EVP_sha256(), NULL))
		return;
	for (unsigned i = 0; i < n && 2 * i + 2 < DOCUMENT_DIGEST_TEXT; i++)
		(void)snprintf(ret + 2 * i, 3, "%02x", digest[i]);
}

/* Loads a file.  digest: that of the content that the caller knows; NULL:
 * none. */
static int load(const char *path, char *digest, json_t **ret,
		struct errmsg *error)
{
	char known[DOCUMENT_DIGEST_TEXT] = "";
	struct buf text = { 0 };
	json_t *document = NULL;
	int r = document_read(path, &text);
	const char *data = buf_len(&text) > 0 ? (char *)buf_head(&text) : "";

	if (r < 0) {
		errmsg_set(error, "cannot be read: %s", strerror(-r));
	} else if (digest != NULL) {
		memcpy(known, digest, sizeof known);
		document_digest(data, buf_len(&text), digest);
	}
	if (r == 0 && (digest == NULL || known[0] == '\0' ||
		       strcmp(known, digest) != 0)) {
		document = parse(data, buf_len(&text), DOCUMENT_FILE_VALUES_MAX,
				 error);
		r = document != NULL ? 0 : -EBADMSG;
	}
	buf_done(&text);
	if (r == 0)
		*ret = document;
	return r;
}

int document_load(const char *path, json_t **ret, struct errmsg *error)
{
	return load(path, NULL, ret, error);
}

int document_load_changed(const char *path, char digest[DOCUMENT_DIGEST_TEXT],
			  json_t **ret, struct errmsg *error)
{
	return load(path, digest, ret, error);
}

unsigned document_open_mode(const char *path, bool narrow)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	unsigned mode = 0;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (st.st_mode & MODE_OTHERS) != 0)
		mode = st.st_mode & 0777;
	if (mode != 0 && narrow && fchmod(fd, mode & ~MODE_OTHERS) == 0 &&
	    fstat(fd, &st) == 0 && (st.st_mode & MODE_OTHERS) == 0)
		mode |= DOCUMENT_NARROWED;
	fd_close(&fd);
	return mode;
}

char *document_format(const json_t *document, size_t *ret_len)
{
	size_t flags = json_text_flags(document);
	char *text = json_dumps(document,
				JSON_INDENT(2) | JSON_ENCODE_ANY | flags);
	size_t len;

	/* json_dumps() fails only without memory, because a document that was
	 * parsed can be formatted */
	if (text == NULL)
		abort();
	len = strlen(text);
	text = xrealloc(text, len + 2);
	memcpy(text + len, "\n", 2);
	*ret_len = len + 1;
	return text;
}
