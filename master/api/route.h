/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the handler of a request by its method and path. */
#pragma once

#include "common/base/util.h"
#include "master/api/command.h"

#include <stdbool.h>
#include <stddef.h>

enum route_kind {
	ROUTE_NONE,    /* the reply is made already */
	ROUTE_COMMAND, /* control/ */
	ROUTE_EVENT,   /* control/event/ */
	ROUTE_PATH,
	ROUTE_PAGE,    /* the prefix itself: the web interface */
	ROUTE_FILE,    /* web/: its files, id is what follows */
	ROUTE_BARE,    /* the prefix without its last slash */
};

enum { ROUTE_ID_MAX = 1024 }; /* longer ones are cut: no id is so long */

struct route {
	enum route_kind kind;
	const struct api_path *path; /* with ROUTE_PATH */
	char id[ROUTE_ID_MAX]; /* without a last slash */
	enum status_span span;
};

/* "/" or "/path/" of the setting control_path (may be NULL); free() it. */
char *route_prefix(const char *control_path);

/* Finds the path of the request below the prefix; files ends with NULL.
 * ROUTE_NONE after a reply of 404 or 405. */
void route_find(const char *prefix, const struct api_path *const *files,
		const struct http_request *, struct route *ret,
		struct reply *);
