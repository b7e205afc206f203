/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolves and compares HTTP URLs, with libcurl's parser. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Resolves a reference of len bytes against base (RFC 3986, 5), without base's
 * credentials. The caller frees the result. NULL with error: not a URL, or not
 * http or https.
 */
char *url_resolve(const char *base, const char *text, size_t len,
		  struct errmsg *error);

/* Returns url with the credentials of `home', if url has none and is at home:
 * both have the same scheme, host and port. The caller frees it. NULL: not a
 * URL. */
char *url_at_home(const char *url, const char *home, bool *ret_at_home);

/* True if the host of the URL is a name, which must be resolved. */
bool url_has_name(const char *url);
