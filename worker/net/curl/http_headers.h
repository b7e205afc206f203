/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The headers of what a server answers, bounded.
 *
 * libcurl keeps all of them, and of those behind a body it counts none.
 * Embedded; zeroed memory has seen nothing.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <curl/curl.h>
#include <stdbool.h>

enum { HEADERS_MAX = 256 * 1024 }; /* bytes, of all replies of a transfer */

struct headers {
	size_t len;
};

/* Counts those of a transfer, which fails when they are more; the struct stays
 * at its place for as long.  False: the library has no memory. */
bool headers_watch(struct headers *, CURL *);

/* 0, or -EFBIG with why: they were more. */
int headers_check(const struct headers *, struct errmsg *error) MUST_CHECK;
