/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/api.h"

#include "common/alloc.h"
#include "common/errmsg.h"
#include "master/api/apply.h"
#include "master/api/command.h"
#include "master/api/route.h"
#include "master/config/document.h"
#include "master/http/server.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* POST control/ with "cmd" */
static const struct {
	const char *name;
	command_fn *run;
} commands[] = {
	{ "check-stream", streams_check },
	{ "get-stream", streams_get },
	{ "load", config_load },
	{ "restart-stream", streams_restart },
	{ "set-stream", streams_set },
	{ "toggle-stream", streams_toggle },
	{ "version", status_version },
};

/* GET api/… */
static const struct route_path paths[] = {
	{ "api/config", false, config_get },
	{ "api/stream-info", true, streams_info },
	{ "api/stream-status", true, streams_status },
	{ "api/system-status", false, status_system },
};

struct api *api_new(const struct api_config *cfg)
{
	struct api *api = xcalloc(1, sizeof *api);

	api->cfg = *cfg;
	api->prefix = route_prefix(json_string_value(
		config_setting(cfg->config, "control_path")));
	return api;
}

void api_free(struct api **p)
{
	struct api *api = *p;

	*p = NULL;
	if (api == NULL)
		return;
	free(api->prefix);
	free(api);
}

void api_start_streams(struct api *api)
{
	apply_all(api);
}

const char *api_instance(const struct api *api)
{
	return json_string_value(config_setting(api->cfg.config,
						"instance_name"));
}

void reply_json(struct reply *reply, json_t *take_body)
{
	reply->status = 200;
	reply->body = take_body;
}

void reply_ok(struct reply *reply, const char *command)
{
	json_t *body = json_object();

	(void)json_object_set_new(body, command, json_string("ok"));
	reply_json(reply, body);
}

/* Text that was cut inside a character is no UTF-8 any more. */
static json_t *sentence(char *text)
{
	json_t *value = json_string(text);

	if (value != NULL)
		return value;
	for (char *c = text; *c != '\0'; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	return json_string(text);
}

void reply_error(struct reply *reply, int status, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	reply->status = status;
	reply->body = json_object();
	(void)json_object_set_new(reply->body, "error", sentence(text));
}

static void run_command(struct api *api, const json_t *request,
			struct reply *reply)
{
	const json_t *cmd = json_object_get(request, "cmd");
	const char *name = json_string_value(cmd);

	if (!json_is_object(request)) {
		reply_error(reply, 400, "the body is not a JSON object");
		return;
	}
	if (name == NULL) {
		reply_error(reply, 400, "cmd: is %s",
			    cmd == NULL ? "missing" : "not a string");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		if (strcmp(commands[i].name, name) == 0) {
			commands[i].run(api, request, reply);
			return;
		}
	}
	reply_error(reply, 400, "cmd: \"%.64s\" is not a command", name);
}

static void take_command(struct api *api, const struct http_request *request,
			 struct reply *reply)
{
	struct errmsg why;
	size_t len;
	const uint8_t *body = http_request_body(request, &len);
	json_t *object = document_parse((const char *)body, len, &why);

	if (object == NULL) {
		reply_error(reply, 400, "the body is not JSON: %s", why.text);
		return;
	}
	run_command(api, object, reply);
	json_decref(object);
}

void api_handle(struct api *api, struct http_conn *conn,
		const struct http_request *request)
{
	struct route route;

	route_find(api, paths, ARRAY_LEN(paths), request, &route);
	switch (route.kind) {
	case ROUTE_COMMAND:
		take_command(api, request, &route.reply);
		break;
	case ROUTE_EVENT:
		route_event(api, conn, request);
		return;
	case ROUTE_PATH:
		route.path->run(api, route.id, route.span, &route.reply);
		break;
	case ROUTE_NONE:
		break;
	}
	route_answer(conn, &route);
}
