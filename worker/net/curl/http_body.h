/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A reply that is needed whole, in memory and no bigger than it may be:
 * a playlist, a key.
 */
#pragma once

#include "common/base/buf.h"
#include "worker/net/curl/fetch.h"

/* Embedded; zeroed memory loads nothing. */
struct page {
	struct fetch *fetch; /* NULL: none */
	struct buf body;
	size_t max;
	bool too_big;
};

/* Loads it; what was there before is forgotten.  0, or -errno with why. */
int page_load(struct page *, struct fetcher *, const char *url, size_t max,
	      struct errmsg *why) MUST_CHECK;
void page_done(struct page *);

static inline bool page_is_loading(const struct page *p)
{
	return p->fetch != NULL;
}

/* 0: not yet; 1: it is there, in body; -errno with why: it cannot be had.
 * Where it came from is in fetch_url() until page_end(). */
int page_look(const struct page *, struct errmsg *why) MUST_CHECK;

/* It was looked at; the body stays. */
void page_end(struct page *);
