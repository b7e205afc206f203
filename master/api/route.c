/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/route.h"

#include "common/alloc.h"
#include "master/http/server.h"
#include "master/options.h"
#include "master/ws/hub.h"
#include "proto/http_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char forbidden_page[] =
	"<!DOCTYPE html>\n<title>403 Forbidden</title>\n"
	"<h1>403 Forbidden</h1>\n";

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

static void refuse_method(struct route *r, const char *allow)
{
	r->kind = ROUTE_NONE;
	r->allow = allow;
	reply_error(&r->reply, 405, "the method is not %s", allow);
}

/* t=0 or t=1, default 1. */
static bool read_span(const struct http_request *request, struct route *r)
{
	char t[8] = "1";

	r->span = STATUS_MINUTE;
	if (strstr(http_request_query(request), "t=") != NULL)
		(void)http_request_query_get(request, "t", t, sizeof t);
	if (strcmp(t, "0") == 0)
		r->span = STATUS_SECOND;
	else if (strcmp(t, "1") != 0)
		reply_error(&r->reply, 400, "t: is not 0 or 1");
	return r->reply.status == 0;
}

static void find_path(const struct route_path *paths, size_t n,
		      const char *path, const struct http_request *request,
		      struct route *r)
{
	for (size_t i = 0; i < n; i++) {
		const char *id = "";

		if (paths[i].takes_id)
			id = behind(path, paths[i].path);
		else if (!is_path(path, paths[i].path))
			id = NULL;
		if (id == NULL)
			continue;
		if (!has_method(request, "GET") && !has_method(request, "HEAD"))
			refuse_method(r, "GET, HEAD");
		else if (read_span(request, r)) {
			r->kind = ROUTE_PATH;
			r->path = &paths[i];
			r->id = id;
		}
		return;
	}
	reply_error(&r->reply, 404, "there is no such path");
}

void route_find(const struct api *api, const struct route_path *paths,
		size_t n, const struct http_request *request,
		struct route *ret)
{
	const char *path = http_request_path(request);
	size_t prefix = strlen(api->prefix);
	bool inside = strncmp(path, api->prefix, prefix) == 0;

	*ret = (struct route){ .kind = ROUTE_NONE };
	path += inside ? prefix : 0;
	if (!api->cfg.options->no_web_auth) {
		ret->html = inside && is_path(path, "control/event");
		reply_error(&ret->reply, 403,
			    "nobody is let in without --no-web-auth");
	} else if (!inside) {
		reply_error(&ret->reply, 404, "there is no such path");
	} else if (is_path(path, "control")) {
		ret->kind = ROUTE_COMMAND;
		if (!has_method(request, "POST"))
			refuse_method(ret, "POST");
	} else if (is_path(path, "control/event")) {
		ret->kind = ROUTE_EVENT;
		if (!has_method(request, "GET"))
			refuse_method(ret, "GET");
	} else {
		find_path(paths, n, path, request, ret);
	}
}

void route_event(struct api *api, struct http_conn *conn,
		 const struct http_request *request)
{
	char token[1024];

	/* without a token it is there to answer "ping" */
	hub_handshake(api->cfg.hub, conn, request,
		      http_request_query_get(request, "token", token,
					     sizeof token));
}

void route_answer(struct http_conn *conn, struct route *r)
{
	struct http_answer answer = { .status = r->reply.status };
	char allow[64];
	char *text = NULL;

	if (r->allow != NULL) {
		(void)snprintf(allow, sizeof allow, "Allow: %s\r\n",
			       r->allow);
		answer.headers = allow;
	}
	if (r->html) {
		answer.content_type = "text/html; charset=utf-8";
		answer.body = forbidden_page;
		answer.len = sizeof forbidden_page - 1;
	} else {
		text = json_dumps(r->reply.body, JSON_COMPACT);
		if (text == NULL)
			abort();
		answer.content_type = "application/json";
		answer.body = text;
		answer.len = strlen(text);
	}
	http_respond(conn, &answer);
	free(text);
	json_decref(r->reply.body);
}
