/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The target of an HTTP request, decoded once, so that routing, authorization
 * and file names use the same path.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Decodes the terminated target in place and returns its two parts.  It accepts
 * origin form, absolute form with http or https, and "*" if asterisk is true
 * (OPTIONS).  NULL, or the error as a constant text.
 *
 * The path is percent-decoded exactly once, without empty segments and ".".
 * Rejected: "..", a percent code of '/' or of another percent code, '\\', '#'
 * and control bytes, as they are or as percent codes, and text that is not
 * UTF-8.
 */
const char *http_target_read(char *target, bool asterisk,
			     const char **ret_path,
			     const char **ret_query) MUST_CHECK;

/* The value of key in a query of key=value pairs, decoded ('+' is a blank)
 * into text of size; false if absent, malformed or too long. */
bool http_query_get(const char *query, const char *key, char *text,
		    size_t size);

/* The number of pairs with this key, whatever their values. */
size_t http_query_count(const char *query, const char *key);

/* Writes the query without the pairs that are for one playlist only (_HLS_...,
 * and the token of a preview) to ret, which has the size of the query. */
void http_query_strip_hls(const char *query, char *ret);

/* Has the query the token of a preview? */
bool http_query_has_preview(const char *query);
