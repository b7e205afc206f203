/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Redirects clients of an output that has become https or http: writes the same
 * address with the other scheme.  Pure. */
#pragma once

#include <stdbool.h>

/* Makes the address with scheme https (tls) or http, which the caller frees.
 * host: as in the request, or NULL; path: decoded; query: raw.  NULL: the host
 * cannot be part of an address. */
char *scheme_location(bool tls, const char *host, const char *path,
		      const char *query);
