/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/api.h"

#include "common/alloc.h"
#include "common/errmsg.h"
#include "master/api/apply.h"
#include "master/api/call.h"
#include "master/api/command.h"
#include "master/api/route.h"
#include "master/config/document.h"
#include "master/http/server.h"
#include "master/options.h"
#include "master/ws/hub.h"

#include <assert.h>
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
	{ "restart", settings_restart },
	{ "restart-stream", streams_restart },
	{ "set-auth", sections_set_auth },
	{ "set-cas", cas_set },
	{ "set-config", settings_set_config },
	{ "set-license", settings_set_license },
	{ "set-log", sections_set_log },
	{ "set-server", servers_set },
	{ "set-settings", settings_set },
	{ "set-softcam", softcams_set },
	{ "set-stream", streams_set },
	{ "toggle-stream", streams_toggle },
	{ "upload", config_put },
	{ "version", status_version },
};

/* GET api/… */
static const struct route_path paths[] = {
	{ "api/config", false, config_get },
	{ "api/stream-info", true, streams_info },
	{ "api/stream-status", true, streams_status },
	{ "api/system-status", false, status_system },
};

static void on_restart(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct api *api = container_of(w, struct api, restart);

	(void)loop, (void)revents;
	api->cfg.restart(api->cfg.arg);
}

struct api *api_new(const struct api_config *cfg)
{
	struct api *api = xcalloc(1, sizeof *api);

	api->cfg = *cfg;
	LIST_INIT(&api->calls);
	ev_timer_init(&api->restart, on_restart, 0, 0);
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
	assert(LIST_EMPTY(&api->calls));
	ev_timer_stop(api->cfg.loop, &api->restart);
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

static void take_command(struct call *call)
{
	struct errmsg why;
	size_t len;
	const uint8_t *body = http_request_body(call->request, &len);

	call->body = document_parse((const char *)body, len, &why);
	if (call->body == NULL)
		reply_error(&call->reply, 400, "the body is not JSON: %s",
			    why.text);
	else
		run_command(call->api, call->body, &call->reply);
}

/* The caller is known and may come in. */
static void carry_out(struct call *call)
{
	const struct route *r = &call->route;

	switch (r->kind) {
	case ROUTE_COMMAND:
		take_command(call);
		break;
	case ROUTE_PATH:
		r->path->run(call->api, r->id, r->span, &call->reply);
		break;
	case ROUTE_EVENT:
	case ROUTE_NONE:
		break;
	}
	if (!call->later)
		call_answer(call);
}

static void take_handshake(struct call *call)
{
	struct hub *hub = call->api->cfg.hub;
	struct http_conn *conn = call->conn;
	const struct http_request *request = call->request;
	char token[1024];
	/* without a token it is there to answer "ping" */
	bool listener = http_request_query_get(request, "token", token,
					       sizeof token);

	/* the hub answers, or takes the connection away */
	call_drop(call);
	hub_handshake(hub, conn, request, listener);
}

static void shut_out(struct call *call)
{
	json_decref(call->reply.body);
	call->reply.body = NULL;
	reply_error(&call->reply, 403,
		    "nobody is let in without --no-web-auth");
	call->reply.page = call->route.kind == ROUTE_EVENT;
	call_answer(call);
}

void api_handle(struct api *api, struct http_conn *conn,
		const struct http_request *request)
{
	const struct route_paths all = { api->prefix, paths,
					 ARRAY_LEN(paths) };
	struct call *call = call_new(api, conn, request);

	route_find(&all, request, &call->route, &call->reply);
	if (!api->cfg.options->no_web_auth) {
		shut_out(call);
		return;
	}
	call->caller = (struct caller){ .login = "-", .type = USER_CONTROL };
	if (call->route.kind == ROUTE_EVENT)
		take_handshake(call);
	else
		carry_out(call);
}

void api_gone(struct api *api, struct http_conn *conn)
{
	struct call *call = call_find(api, conn);

	if (call != NULL)
		call_drop(call);
}
