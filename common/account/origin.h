/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Was a request made by a page of somebody else in the user's browser? */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>

struct origin {
	const char *fetch_site; /* header Sec-Fetch-Site, or NULL */
	const char *origin;     /* header Origin, or NULL */
	const char *host;       /* header Host, or NULL */
};

/*
 * Sec-Fetch-Site decides when it is there: only "same-origin" and "none" are
 * ours.  A browser that does not send it (plain HTTP) names the page's origin
 * in Origin, whose host and port have to be those of Host.  Programs send
 * neither.  Pure.
 */
bool origin_is_foreign(const struct origin *);
