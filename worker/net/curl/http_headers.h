/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adds configured request headers to a transfer, and limits the size of its
 * response headers, because libcurl stores all of them and does not limit
 * trailers.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <curl/curl.h>
#include <stdbool.h>

/* Most bytes of headers in all responses of a transfer. */
enum { HEADERS_MAX = 256 * 1024 };

/* Appends lines, separated by newlines.  False: out of memory. */
bool headers_add(struct curl_slist **, const char *lines);

/* Response headers. Embedded; zeroed memory is ready. */
struct headers {
	size_t len; /* bytes received */
};

/* Makes libcurl count the headers of a transfer, which fails if they exceed
 * HEADERS_MAX. The struct must not move meanwhile. False: out of memory. */
bool headers_watch(struct headers *, CURL *);

/* 0, or -EFBIG with error: the headers exceeded HEADERS_MAX. */
int headers_check(const struct headers *, struct errmsg *error) MUST_CHECK;
