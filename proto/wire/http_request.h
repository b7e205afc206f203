/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parses the head and body of HTTP/1 requests strictly (RFC 9112).
 *
 * A guard (http_guard.h) checks the head and the framing of chunks
 * before llhttp gets them: every CR is followed by LF and every LF preceded by
 * CR, no folded lines, no control bytes, exactly one Host in HTTP/1.1, at most
 * one Content-Length, no Transfer-Encoding other than exactly "chunked".  It
 * rejects at least what Node rejects.  Pure: no I/O, no clock.
 */
#pragma once

#include "common/base/buf.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HTTP_HEAD_MAX = 16384, /* request line and headers, bytes */
	HTTP_HEADERS_MAX = 64,
};

struct http_header {
	const char *name; /* in lower case */
	const char *value;
};

enum http_state {
	HTTP_MORE,      /* feed more bytes */
	HTTP_HAVE_HEAD, /* the head is complete: check it, then continue */
	HTTP_COMPLETE,  /* head and body are complete */
	HTTP_FAILED,    /* reply http_request_status() and close */
};

/* The parser of one connection.  It owns its memory; the texts that functions
 * return are valid until http_request_reset() or http_request_free(). */
struct http_request;

/* Makes a parser, in which a body larger than body_max fails with 413. */
struct http_request *http_request_new(size_t body_max);
void http_request_free(struct http_request **);

/* Limits the heads of this and later requests to max bytes, at most
 * HTTP_HEAD_MAX.  Call this before the first byte. */
void http_request_set_head_max(struct http_request *, size_t max);

/* Prepares for the next request on the same connection. */
void http_request_reset(struct http_request *);

/*
 * Consumes bytes from the front of in.  Returns HTTP_HAVE_HEAD once per
 * request, before it consumes a byte of the body.  Bytes of a pipelined next
 * request stay in the buffer.
 */
enum http_state http_request_feed(struct http_request *, struct buf *in);

/* The HTTP status of the answer after HTTP_FAILED: 400, 413, 414, 431, 501 or
 * 505; 0: the request has not failed. */
int http_request_status(const struct http_request *);
/* The reason after HTTP_FAILED, in a few words for a debug log. */
const char *http_request_reason(const struct http_request *);

/* True if a byte of this request was consumed. */
bool http_request_begun(const struct http_request *);

/* The functions from here to http_request_length() may be called after
 * HTTP_HAVE_HEAD. */
const char *http_request_method(const struct http_request *);
/* The path, percent-decoded once and normalised ("//" and "/./" become "/");
 * begins with '/', or is "*" for OPTIONS.  A target that http_target_read()
 * rejects fails with 400. */
const char *http_request_path(const struct http_request *);
/* The raw text behind '?', "" if absent. */
const char *http_request_query(const struct http_request *);
/* Decodes the value of a query parameter into text of size; false: it is absent
 * or malformed. */
bool http_request_query_get(const struct http_request *, const char *key,
			    char *text, size_t size);
/* The value of a header, whose name is in lower case; NULL: it is absent. */
const char *http_request_header(const struct http_request *, const char *name);
/* The x of HTTP/1.x. */
unsigned http_request_minor(const struct http_request *);
bool http_request_keep_alive(const struct http_request *);
/* True if a body follows that was not yet consumed. */
bool http_request_has_body(const struct http_request *);

/* The value of Content-Length; 0: it is absent. */
uint64_t http_request_length(const struct http_request *);

/* The body, after HTTP_COMPLETE; it has no NUL at its end. */
const uint8_t *http_request_body(const struct http_request *, size_t *ret_len);
