/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loads a small HTTP response, such as a playlist or a key, into memory, with a
 * limit of its size.
 */
#pragma once

#include "common/base/buf.h"
#include "worker/net/curl/fetch.h"

/* Embedded; zeroed memory is idle. */
struct http_body {
	struct fetch *fetch; /* the transfer; NULL: none */
	struct buf buf;      /* the body */
	size_t max;          /* limit of its size, in bytes */
	bool too_big;        /* the body exceeded the limit */
};

/* Starts to load url; drops the previous body. 0, or -errno with error. */
int http_body_load(struct http_body *, struct fetcher *, const char *url,
		   size_t max, struct errmsg *error) MUST_CHECK;
void http_body_done(struct http_body *);

static inline bool http_body_is_loading(const struct http_body *b)
{
	return b->fetch != NULL;
}

/* Returns the state of the load.  0: it continues; 1: the body is complete in
 * buf; -errno with error: it failed.  fetch_url() gives the final URL until
 * http_body_end(). */
int http_body_poll(const struct http_body *, struct errmsg *error) MUST_CHECK;

/* Frees the transfer; buf stays. */
void http_body_end(struct http_body *);
