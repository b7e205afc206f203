/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Headers of a transfer: adds configured request headers and bounds the
 * response headers.
 *
 * libcurl keeps all headers and does not limit trailers.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <curl/curl.h>
#include <stdbool.h>

enum { HEADERS_MAX = 256 * 1024 }; /* bytes of all responses of a transfer */

/* Appends lines, separated by newlines.  False: out of memory. */
bool headers_add(struct curl_slist **, const char *lines);

/* Response headers. Embedded; zeroed memory is ready. */
struct headers {
	size_t len;
};

/* Counts the headers of a transfer and fails it when they exceed the limit. The
 * struct must not move meanwhile. False: out of memory. */
bool headers_watch(struct headers *, CURL *);

/* Checks the size of the headers.  0, or -EFBIG with error: it exceeded the
 * limit. */
int headers_check(const struct headers *, struct errmsg *error) MUST_CHECK;
