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
	struct fetch *fetch; /* NULL: none */
	struct buf buf;
	size_t max;
	bool too_big;
};

/* Starts to load url; drops the previous body. 0, or -errno with error. */
int http_body_load(struct http_body *, struct fetcher *, const char *url,
		   size_t max, struct errmsg *error) MUST_CHECK;
void http_body_done(struct http_body *);

static inline bool http_body_is_loading(const struct http_body *b)
{
	return b->fetch != NULL;
}

/* Follows the load.  0: loading; 1: complete, in buf; -errno with error:
 * failed.  fetch_url() gives the final URL until http_body_end(). */
int http_body_poll(const struct http_body *, struct errmsg *error) MUST_CHECK;

/* Frees the transfer; buf stays. */
void http_body_end(struct http_body *);
