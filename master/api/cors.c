/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/cors.h"

#include "master/api/call.h"
#include "proto/wire/http_request.h"

#include <string.h>

/* Returns the listed origin that the request names; NULL: none. */
static const char *find_origin(const struct call *c)
{
	const char *origin = http_request_header(c->request, "origin");
	const json_t *list = config_setting(c->api->cfg.config, "web_origins");
	const json_t *item;
	size_t i;

	if (origin == NULL)
		return NULL;
	json_array_foreach((json_t *)list, i, item) {
		const char *listed = json_string_value(item);

		if (listed != NULL && strcmp(listed, origin) == 0)
			return listed;
	}
	return NULL;
}

/* True: the path is below control/ or api/. */
static bool is_api(const struct call *c)
{
	const char *path = http_request_path(c->request);
	size_t len = strlen(c->api->prefix);

	return strncmp(path, c->api->prefix, len) == 0 &&
	       (strncmp(path + len, "control/", 8) == 0 ||
		strncmp(path + len, "api/", 4) == 0);
}

bool cors_is_listed(const struct call *c)
{
	return is_api(c) && find_origin(c) != NULL;
}

bool cors_is_preflight(const struct call *c)
{
	return strcmp(http_request_method(c->request), "OPTIONS") == 0 &&
	       is_api(c) &&
	       http_request_header(c->request,
				   "access-control-request-method") != NULL;
}

void cors_answer_preflight(struct call *c)
{
	struct reply *reply = &c->reply;

	reply_reset(reply);
	if (find_origin(c) == NULL) {
		reply_error(reply, 403, "Origin: is not in "
			    "settings.web_origins");
		call_answer(c);
		return;
	}
	reply_header(reply, "Access-Control-Allow-Methods", "GET, HEAD, POST");
	reply_header(reply, "Access-Control-Allow-Headers",
		     "Authorization, Content-Type");
	reply_header(reply, "Access-Control-Max-Age", "600");
	reply->status = 204;
	call_answer(c);
}

void cors_allow(struct call *c)
{
	reply_header(&c->reply, "Access-Control-Allow-Origin",
		     find_origin(c));
	reply_header(&c->reply, "Vary", "Origin");
}
