/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses of HTTP, by libcurl's own reading of them. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What the len bytes of text mean where `base` was read (RFC 3986 5); without
 * base's credentials.  Free it.  NULL with why when it is no address, or
 * none of http or https.
 */
char *url_resolve(const char *base, const char *text, size_t len,
		  struct errmsg *error);

/* Do both lead to the same scheme, host and port? */
bool url_same_server(const char *a, const char *b);

/* url, with the credentials of `home` if it has none and both are on one
 * server.  Free it; NULL when it is no address. */
char *url_at_home(const char *url, const char *home);
