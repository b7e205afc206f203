/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decodes the target of an HTTP request once, so that routing, authorization
 * and file names use the same path.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Decodes the target, which ends with NUL, in place and returns its path and
 * query.  It accepts origin form, absolute form with http or https, and "*" if
 * asterisk is true (OPTIONS).  NULL, or the error as a constant text.
 *
 * The path is percent-decoded exactly once, and empty segments and "." are
 * removed.  Rejected: "..", an encoded '/' or percent code, '\\', '#' and
 * control bytes (encoded or not), and a path that is not UTF-8.
 */
const char *http_target_read(char *target, bool asterisk,
			     const char **ret_path,
			     const char **ret_query) MUST_CHECK;

/* Finds the first pair with this key in a query of key=value pairs, and writes
 * its decoded value ('+' is a blank) into text of size bytes.  False: the key
 * is absent, or its value is malformed or too long. */
bool http_query_get(const char *query, const char *key, char *text,
		    size_t size);

/* The number of pairs with this key, whatever their values. */
size_t http_query_count(const char *query, const char *key);

/* Copies the query to ret, which must be as large, without the pairs that are
 * for one request of a playlist only: _HLS_..., and the token of a preview. */
void http_query_strip_hls(const char *query, char *ret);

/* Has the query a token that the master made for a preview in the web
 * interface? */
bool http_query_has_preview(const char *query);
