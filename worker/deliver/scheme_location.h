/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Redirects clients of an output that has become https or http: writes the same
 * address with the other scheme.  Pure. */
#pragma once

#include <stdbool.h>

/* host: as in the request, or NULL; path: decoded; query: raw.  The caller
 * frees the address; NULL: the host cannot be part of one. */
char *scheme_location(bool tls, const char *host, const char *path,
		      const char *query);
