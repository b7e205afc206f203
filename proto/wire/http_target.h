/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The target of an HTTP request, read once: routing, authorisation and file
 * names all see the same path.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Reads the terminated target in place (it is overwritten) and shows its two
 * parts.  Origin form, absolute form with http or https, and "*" when
 * asterisk is true (OPTIONS).  NULL, or a few words that say why it is bad.
 *
 * The path is percent-decoded exactly once; empty segments and "." are
 * dropped.  Refused: "..", what decodes to '/', '\\', a control byte or
 * another percent code, and what is not UTF-8.
 */
const char *http_target_read(char *target, bool asterisk,
			     const char **ret_path,
			     const char **ret_query) MUST_CHECK;

/* The value of key in a query of key=value pairs, decoded ('+' is a blank)
 * into text of size; false when absent, malformed or too long. */
bool http_query_get(const char *query, const char *key, char *text,
		    size_t size);
