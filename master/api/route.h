/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a request's method and path to who answers it. */
#pragma once

#include "common/base/util.h"
#include "master/api/command.h"

#include <stdbool.h>
#include <stddef.h>

struct route_path {
	const char *path; /* without prefix and last slash */
	bool takes_id;    /* "/{id}" follows */
	path_fn *run;
};

/* Takes a body; "/{id}" may follow. */
struct route_post {
	const char *path;
	post_fn *run;
};

struct route_paths {
	const char *prefix;
	const struct route_path *list;
	size_t n;
	const struct route_post *posts;
	size_t n_posts;
};

enum route_kind {
	ROUTE_NONE,    /* the reply is made already */
	ROUTE_COMMAND, /* control/ */
	ROUTE_EVENT,   /* control/event/ */
	ROUTE_PATH,
	ROUTE_POST,
};

enum { ROUTE_ID_MAX = 1024 }; /* what is longer is cut: it is no id */

struct route {
	enum route_kind kind;
	const struct route_path *path; /* of ROUTE_PATH */
	const struct route_post *post; /* of ROUTE_POST */
	char id[ROUTE_ID_MAX]; /* without a last slash */
	enum status_span span;
};

/* "/" or "/path/" of the setting control_path (may be NULL); free() it. */
char *route_prefix(const char *control_path);

/* Whom the request is for; ROUTE_NONE after a reply of 404 or 405. */
void route_find(const struct route_paths *, const struct http_request *,
		struct route *ret, struct reply *);
