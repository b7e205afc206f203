/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/route.h"

#include "common/base/alloc.h"
#include "proto/wire/http_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *route_prefix(const char *control_path)
{
	size_t len;

	if (control_path == NULL)
		return xstrdup("/");
	while (*control_path == '/')
		control_path++;
	len = strlen(control_path);
	while (len > 0 && control_path[len - 1] == '/')
		len--;
	return len > 0 ? xasprintf("/%.*s/", (int)len, control_path)
		       : xstrdup("/");
}

/* True when path is name, with or without a last slash. */
static bool is_path(const char *path, const char *name)
{
	size_t len = strlen(name);

	return strncmp(path, name, len) == 0 &&
	       (path[len] == '\0' || strcmp(path + len, "/") == 0);
}

static void take_id(struct route *r, const char *id)
{
	size_t len = strlen(id);

	if (len > 0 && id[len - 1] == '/')
		len--;
	(void)snprintf(r->id, sizeof r->id, "%.*s",
		       (int)MIN(len, sizeof r->id), id);
}

/* What stands behind "name/", or NULL when path is another. */
static const char *behind(const char *path, const char *name)
{
	size_t len = strlen(name);

	return strncmp(path, name, len) == 0 && path[len] == '/' &&
			       path[len + 1] != '\0'
		       ? path + len + 1
		       : NULL;
}

static bool has_method(const struct http_request *request, const char *method)
{
	return strcmp(http_request_method(request), method) == 0;
}

static void refuse_method(struct route *r, const char *allow,
			  struct reply *reply)
{
	r->kind = ROUTE_NONE;
	reply_header(reply, "Allow", allow);
	reply_error(reply, 405, "only %s is answered here", allow);
}

/* The paths that look at t: elsewhere it is what defeats a cache. */
static bool has_span(const char *path)
{
	static const char *const paths[] = {
		"api/adapter-status",
		"api/stream-status",
		"api/system-status",
	};

	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		if (strcmp(path, paths[i]) == 0)
			return true;
	return false;
}

/* t=0 or t=1, default 1. */
static bool read_span(const struct http_request *request, struct route *r,
		      struct reply *reply)
{
	char t[64] = "1";

	r->span = STATUS_MINUTE;
	if (strstr(http_request_query(request), "t=") != NULL)
		(void)http_request_query_get(request, "t", t, sizeof t);
	if (strcmp(t, "0") == 0)
		r->span = STATUS_SECOND;
	else if (strcmp(t, "1") != 0)
		reply_error(reply, 400, "t: is not 0 or 1");
	return reply->status == 0;
}

static void find_path(const struct route_paths *paths, const char *path,
		      const struct http_request *request, struct route *r,
		      struct reply *reply)
{
	for (size_t i = 0; i < paths->n; i++) {
		const struct route_path *p = &paths->list[i];
		const char *id = "";

		if (p->takes_id)
			id = behind(path, p->path);
		else if (!is_path(path, p->path))
			id = NULL;
		if (id == NULL)
			continue;
		if (!has_method(request, "GET") && !has_method(request, "HEAD"))
			refuse_method(r, "GET, HEAD", reply);
		else if (!has_span(p->path) || read_span(request, r, reply)) {
			r->kind = ROUTE_PATH;
			r->path = p;
			take_id(r, id);
		}
		return;
	}
	reply_error(reply, 404, "there is no such path");
}

/* False when it is none of them. */
static bool find_post(const struct route_paths *paths, const char *path,
		      const struct http_request *request, struct route *r,
		      struct reply *reply)
{
	for (size_t i = 0; i < paths->n_posts; i++) {
		const struct route_post *p = &paths->posts[i];
		const char *id = is_path(path, p->path) ? ""
						: behind(path, p->path);

		if (id == NULL)
			continue;
		r->kind = ROUTE_POST;
		r->post = p;
		take_id(r, id);
		if (!has_method(request, "POST"))
			refuse_method(r, "POST", reply);
		return true;
	}
	return false;
}

void route_find(const struct route_paths *paths,
		const struct http_request *request, struct route *ret,
		struct reply *reply)
{
	const char *path = http_request_path(request);
	size_t prefix = strlen(paths->prefix);

	*ret = (struct route){ .kind = ROUTE_NONE };
	if (strncmp(path, paths->prefix, prefix) != 0) {
		reply_error(reply, 404, "there is no such path");
		return;
	}
	path += prefix;
	if (is_path(path, "control")) {
		ret->kind = ROUTE_COMMAND;
		if (!has_method(request, "POST"))
			refuse_method(ret, "POST", reply);
	} else if (is_path(path, "control/event")) {
		ret->kind = ROUTE_EVENT;
		if (!has_method(request, "GET"))
			refuse_method(ret, "GET", reply);
	} else if (!find_post(paths, path, request, ret, reply)) {
		find_path(paths, path, request, ret, reply);
	}
}
