/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a request's method and path to who answers it, and back as HTTP. */
#pragma once

#include "common/util.h"
#include "master/api/command.h"

#include <stdbool.h>
#include <stddef.h>

struct route_path {
	const char *path; /* without prefix and last slash */
	bool takes_id;    /* "/{id}" follows */
	path_fn *run;
};

enum route_kind {
	ROUTE_NONE,    /* the reply is made already */
	ROUTE_COMMAND, /* control/ */
	ROUTE_EVENT,   /* control/event/ */
	ROUTE_PATH,
};

struct route {
	enum route_kind kind;
	const struct route_path *path; /* of ROUTE_PATH */
	const char *id;                /* borrowed from the request */
	enum status_span span;
	const char *allow;             /* of a 405 */
	bool html;                     /* the reply is a page */
	struct reply reply;
};

/* "/" or "/path/" of the setting control_path (may be NULL); free() it. */
char *route_prefix(const char *control_path);

/* Whoever may not come in gets 403 whatever the path. */
void route_find(const struct api *, const struct route_path *paths, size_t n,
		const struct http_request *, struct route *ret);

/* Hands the connection to the event channel. */
void route_event(struct api *, struct http_conn *,
		 const struct http_request *);

/* Writes the reply and releases it. */
void route_answer(struct http_conn *, struct route *);
