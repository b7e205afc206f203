/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same address by the other scheme, for clients of an output that has
 * become https or http.  Pure. */
#pragma once

#include <stdbool.h>

/* host: as in the request, or NULL; path: decoded; query: raw.  The caller
 * frees the address; NULL: the host cannot be part of one. */
char *scheme_location(bool tls, const char *host, const char *path,
		      const char *query);
