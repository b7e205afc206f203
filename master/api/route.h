/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the handler of a request by its method and path. */
#pragma once

#include "common/base/util.h"
#include "master/api/command.h"

#include <stdbool.h>
#include <stddef.h>

enum route_kind {
	ROUTE_NONE,    /* the reply already has the error */
	ROUTE_COMMAND, /* control/: a command */
	ROUTE_EVENT,   /* control/event/: the event channel */
	ROUTE_PATH,
	ROUTE_PAGE,    /* the prefix itself: the page of the web interface */
	ROUTE_FILE,    /* web/: a file of the web interface, id is its name */
	ROUTE_BARE,    /* the prefix without its last slash */
};

/* Longer ids are cut.  No valid id is longer. */
enum { ROUTE_ID_MAX = 1024 };

struct route {
	enum route_kind kind;
	const struct api_path *path; /* only for ROUTE_PATH */
	char id[ROUTE_ID_MAX]; /* without a last slash */
	enum status_span span;
};

/* Returns "/", or "/path/" for the setting control_path (may be NULL); free()
 * it. */
char *route_prefix(const char *control_path);

/* Finds the route of a request below the prefix.  files: the arrays of paths,
 * ended by NULL.  ROUTE_NONE: the reply already has the error, 404 or 405. */
void route_find(const char *prefix, const struct api_path *const *files,
		const struct http_request *, struct route *ret,
		struct reply *);
