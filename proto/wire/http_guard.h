/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks the bytes of an HTTP/1 request before the parser gets them.
 *
 * Request smuggling uses lenient line ends, folded lines, repeated length
 * headers and unusual transfer codings; the parser accepts some of them.  The
 * guard accepts only the strict reading of RFC 9112.  It checks bytes as they
 * arrive, so it rejects a request before the line is complete.  Its struct is a
 * member of its user; it stores no bytes of the request.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HTTP_TARGET_MAX = 8192,    /* the request's target, bytes */
	HTTP_TRAILER_MAX = 8192,   /* bytes of trailers of a chunked body */
	HTTP_EXTENSION_MAX = 4096, /* bytes of all chunk extensions of a body */
};

/* What the next byte is part of.  The order counts: the code compares states
 * with < and <=. */
enum http_guard_state {
	/* the request line */
	GUARD_LEAD,    /* an empty line, or the first byte of the method */
	GUARD_LEAD_LF,
	GUARD_METHOD,
	GUARD_TARGET,
	GUARD_VERSION,
	/* the fields of the head or of the trailers */
	GUARD_LINE_LF,
	GUARD_LINE,    /* the first byte of a line */
	GUARD_NAME,
	GUARD_VALUE,
	GUARD_LAST_LF, /* LF of the empty line at the end */
	/* the chunks of a body */
	GUARD_SIZE,
	GUARD_EXTENSION,
	GUARD_SIZE_LF,
	GUARD_DATA,
	GUARD_DATA_CR,
	GUARD_DATA_LF,

	GUARD_DONE,    /* the head or the body is complete */
	GUARD_REFUSED, /* status and reason are set */
};

struct http_guard {
	enum http_guard_state state;
	size_t left;        /* bytes that head or trailers may still contain */
	size_t extension;   /* bytes that chunk extensions may still contain */
	size_t target;      /* bytes of the target so far */
	size_t body_left;   /* bytes that the decoded body may still contain */
	uint64_t chunk;     /* size of the chunk; in its data: the bytes that
			     * are still to come */
	unsigned digits;    /* number of digits of the chunk size so far */
	int status;         /* HTTP status of the refusal; 0: not refused */
	const char *reason; /* of the refusal; constant text */
	/* The members below are set by http_guard_judge(). */
	unsigned minor;     /* version HTTP/1.minor */
	unsigned fields;    /* number of header fields */
	bool chunked;       /* Transfer-Encoding: chunked */
	bool has_length;    /* Content-Length is present */
};

/* Prepares for the head of a request of at most max bytes. */
void http_guard_head(struct http_guard *, size_t max);

/* Prepares for a chunked body of at most max bytes and its trailers. */
void http_guard_chunks(struct http_guard *, size_t max);

/* Checks bytes up to the end of the head or body; returns how many of them are
 * accepted, which the parser may get.  Afterwards the state is GUARD_DONE if
 * the end was reached, or GUARD_REFUSED if the byte behind them is rejected. */
size_t http_guard_feed(struct http_guard *, const uint8_t *data, size_t len);

/* Checks the lines of a complete head together; false: the guard rejects it. */
bool http_guard_judge(struct http_guard *, const char *head, size_t len);
