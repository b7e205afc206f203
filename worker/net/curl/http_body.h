/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A reply that is needed whole, in memory and no bigger than it may be:
 * a playlist, a key.
 */
#pragma once

#include "common/base/buf.h"
#include "worker/net/curl/fetch.h"

/* Embedded; zeroed memory loads nothing. */
struct http_body {
	struct fetch *fetch; /* NULL: none */
	struct buf buf;
	size_t max;
	bool too_big;
};

/* Loads it; what was there before is forgotten.  0, or -errno with why. */
int http_body_load(struct http_body *, struct fetcher *, const char *url,
                   size_t max, struct errmsg *error) MUST_CHECK;
void http_body_done(struct http_body *);

static inline bool http_body_is_loading(const struct http_body *b)
{
	return b->fetch != NULL;
}

/* 0: not yet; 1: it is there, in body; -errno with why: it cannot be had.
 * Where it came from is in fetch_url() until http_body_end(). */
int http_body_poll(const struct http_body *, struct errmsg *error) MUST_CHECK;

/* It was looked at; the body stays. */
void http_body_end(struct http_body *);
