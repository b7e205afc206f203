/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Did a page of another site make the request in the user's browser? */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>

struct origin {
	const char *fetch_site; /* header Sec-Fetch-Site, or NULL */
	const char *origin;     /* header Origin, or NULL */
	const char *host;       /* header Host, or NULL */
};

/* True for the origin of a page as browsers write it: "https://host:port", in
 * small letters, without the default port and without a path. */
bool origin_is_valid(const char *text);

/*
 * True if a page of another site made the request.  The header Sec-Fetch-Site
 * decides: only "same-origin" and "none" are accepted.  A browser that does not
 * send it (plain HTTP) sends the origin of the page in the header Origin, whose
 * host and port must be those of the header Host.  A request with neither
 * header is accepted: programs that are no browser send neither.  Pure.
 */
bool origin_is_foreign(const struct origin *);
