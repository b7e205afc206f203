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

/* True: path equals name, with or without a last slash. */
static bool is_path(const char *path, const char *name)
{
	size_t len = strlen(name);

	return strncmp(path, name, len) == 0 &&
	       (path[len] == '\0' || strcmp(path + len, "/") == 0);
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
	reply_error(reply, 405, "this path accepts only %s", allow);
}

static bool is_read(const struct http_request *request)
{
	return has_method(request, "GET") || has_method(request, "HEAD");
}

static void copy_id(struct route *r, const char *id, size_t len)
{
	(void)snprintf(r->id, sizeof r->id, "%.*s",
		       (int)MIN(len, sizeof r->id), id);
}

static void take_path(const struct api_path *p, const char *id,
		      const struct http_request *request, struct route *r,
		      struct reply *reply)
{
	size_t len = strlen(id);
	char t[64] = "1";

	if (len > 0 && id[len - 1] == '/')
		len--;
	copy_id(r, id, len);
	r->path = p;
	r->span = STATUS_MINUTE;
	if (p->post != NULL && !has_method(request, "POST")) {
		refuse_method(r, "POST", reply);
		return;
	}
	if (p->get != NULL && !is_read(request)) {
		refuse_method(r, "GET, HEAD", reply);
		return;
	}
	/* t is 0 or 1; the default is 1 */
	if (p->takes_span &&
	    strstr(http_request_query(request), "t=") != NULL)
		(void)http_request_query_get(request, "t", t, sizeof t);
	if (strcmp(t, "0") == 0)
		r->span = STATUS_SECOND;
	if (strcmp(t, "0") == 0 || strcmp(t, "1") == 0)
		r->kind = ROUTE_PATH;
	else
		reply_error(reply, 400, "t: is not 0 or 1");
}

/* True: the request is for the web interface; ret is set. */
static bool take_page(const char *prefix, const struct http_request *request,
		      struct route *ret, struct reply *reply)
{
	const char *path = http_request_path(request);
	size_t len = strlen(prefix);

	if (len > 1 && strncmp(path, prefix, len - 1) == 0 &&
	    path[len - 1] == '\0')
		ret->kind = ROUTE_BARE;
	else if (strcmp(path, prefix) == 0)
		ret->kind = ROUTE_PAGE;
	else if (strncmp(path, prefix, len) == 0 &&
		 strncmp(path + len, "web/", 4) == 0)
		ret->kind = ROUTE_FILE;
	else
		return false;
	if (ret->kind == ROUTE_FILE)
		copy_id(ret, path + len + 4, strlen(path + len + 4));
	if (!is_read(request))
		refuse_method(ret, "GET, HEAD", reply);
	return true;
}

/* Returns the id behind the path of p, or "" if path has none; NULL: path is
 * another one. */
static const char *match(const struct api_path *p, const char *path)
{
	size_t len = strlen(p->path);

	if (p->id != PATH_ALONE && strncmp(path, p->path, len) == 0 &&
	    path[len] == '/' && path[len + 1] != '\0')
		return path + len + 1;
	return p->id != PATH_ID && is_path(path, p->path) ? "" : NULL;
}

void route_find(const char *prefix, const struct api_path *const *files,
		const struct http_request *request, struct route *ret,
		struct reply *reply)
{
	const char *path = http_request_path(request);
	size_t len = strlen(prefix);

	*ret = (struct route){ .kind = ROUTE_NONE };
	if (take_page(prefix, request, ret, reply))
		return;
	if (strncmp(path, prefix, len) != 0) {
		reply_error(reply, 404, "there is no such path");
		return;
	}
	path += len;
	if (is_path(path, "control")) {
		ret->kind = ROUTE_COMMAND;
		if (!has_method(request, "POST"))
			refuse_method(ret, "POST", reply);
		return;
	}
	if (is_path(path, "control/event")) {
		ret->kind = ROUTE_EVENT;
		if (!has_method(request, "GET"))
			refuse_method(ret, "GET", reply);
		return;
	}
	for (; *files != NULL; files++) {
		for (const struct api_path *p = *files; p->path != NULL; p++) {
			const char *id = match(p, path);

			if (id == NULL)
				continue;
			take_path(p, id, request, ret, reply);
			return;
		}
	}
	reply_error(reply, 404, "there is no such path");
}
