/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolves and compares HTTP URLs, with libcurl's parser. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Resolves the reference `text' of len bytes against base (RFC 3986, 5),
 * without the credentials of base. The caller frees the result. NULL with
 * error: the result is not a URL, or not http or https.
 */
char *url_resolve(const char *base, const char *text, size_t len,
		  struct errmsg *error);

/* Returns a copy of url. If it has the same scheme, host and port as `home',
 * *ret_at_home is true, and a url without credentials gets those of `home'. The
 * caller frees the copy. NULL: not a URL. */
char *url_at_home(const char *url, const char *home, bool *ret_at_home);

/* True if the host of the URL is a name, which must be resolved. */
bool url_has_name(const char *url);
