/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/api.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"
#include "common/base/mono.h"
#include "master/api/access_line.h"
#include "master/api/admit.h"
#include "master/api/announcement_list.h"
#include "master/api/apply.h"
#include "master/api/call.h"
#include "master/api/certificate.h"
#include "master/api/command.h"
#include "master/api/event.h"
#include "master/api/route.h"
#include "master/api/scan_list.h"
#include "master/status/host_advice.h"
#include "common/account/user.h"
#include "common/document/document.h"
#include "common/http/server.h"
#include "master/setup/options.h"
#include "master/streams/reconciler.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LOGIN_BODY_MAX = 8192,
	ODD_BURST = 20, /* lines in ten seconds */
};

/* The commands of each file. */
extern const struct api_command
	adapters_commands[],
	categories_commands[],
	config_commands[],
	input_commands[],
	login_commands[],
	scans_commands[],
	sections_commands[],
	sessions_commands[],
	settings_commands[],
	softcams_commands[],
	status_commands[],
	streams_commands[],
	test_softcam_commands[],
	users_commands[],
	web_lists_commands[];

static const struct api_command *const commands[] = {
	adapters_commands,
	categories_commands,
	config_commands,
	input_commands,
	login_commands,
	scans_commands,
	sections_commands,
	sessions_commands,
	settings_commands,
	softcams_commands,
	status_commands,
	streams_commands,
	test_softcam_commands,
	users_commands,
	web_lists_commands,
};

/* The paths of each file. */
extern const struct api_path
	adapters_paths[],
	announcements_paths[],
	config_paths[],
	status_paths[],
	stream_analysis_paths[],
	streams_paths[],
	web_lists_paths[];

static const struct api_path *const paths[] = {
	adapters_paths,
	announcements_paths,
	config_paths,
	status_paths,
	stream_analysis_paths,
	streams_paths,
	web_lists_paths,
	NULL,
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
	api->odd_limit.burst = ODD_BURST;
	ev_timer_init(&api->restart, on_restart, 0, 0);
	api->host = host_advice_new("/proc/sys/net");
	api->scans = scan_list_new(reconciler_jobs(cfg->reconciler));
	api->announcements =
		announcement_list_new(reconciler_jobs(cfg->reconciler));
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
	scan_list_free(&api->scans);
	announcement_list_free(&api->announcements);
	host_advice_free(&api->host);
	free(api->prefix);
	free(api);
}

void api_start_streams(struct api *api)
{
	certificate_apply(api);
	apply_all(api);
	(void)api_host_advice(api);
}

json_t *api_host_advice(struct api *api)
{
	const json_t *list = host_advice_look(
		api->host, config_section(api->cfg.config, "make_stream"),
		mono_ms());

	/* to be copied from, no more */
	return (json_t *)(uintptr_t)list;
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

const struct api_command *api_command_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		for (const struct api_command *c = commands[i];
		     c->name != NULL; c++)
			if (strcmp(c->name, name) == 0)
				return c;
	return NULL;
}

enum observer_access api_access(int user_type, enum observer_access observer)
{
	if (user_type == USER_CONTROL)
		return OBSERVER_ALLOWED;
	return user_type == USER_OBSERVER ? observer : OBSERVER_FORBIDDEN;
}

/* False after a reply. */
static bool is_allowed(struct call *call, enum observer_access observer)
{
	enum observer_access access = api_access(call->caller.type, observer);

	if (access == OBSERVER_FORBIDDEN)
		reply_error(&call->reply, 403, "an observer may not do this");
	else if (access == OBSERVER_HIDDEN)
		reply_error(&call->reply, 404, "not found");
	return access == OBSERVER_ALLOWED;
}

static void run_command(struct call *call)
{
	const json_t *cmd = json_object_get(call->body, "cmd");
	const char *name = json_string_value(cmd);
	struct reply *reply = &call->reply;
	const struct api_command *command;

	if (!json_is_object(call->body)) {
		reply_error(reply, 400, "the body is not a JSON object");
		return;
	}
	if (name == NULL) {
		reply_error(reply, 400, "cmd: is %s",
			    cmd == NULL ? "missing" : "not a string");
		return;
	}
	command = api_command_find(name);
	if (!is_allowed(call, command != NULL ? command->observer
					      : OBSERVER_FORBIDDEN))
		return;
	if (command == NULL)
		reply_error(reply, 400, "cmd: \"%.64s\" is not a command",
			    name);
	else
		command->run(call->api, call->body, reply);
}

static void read_body(struct call *call, struct errmsg *why)
{
	size_t len;
	const uint8_t *body = http_request_body(call->request, &len);

	call->body = document_parse((const char *)body, len, why);
}

static void take_command(struct call *call)
{
	struct errmsg why = { 0 };

	if (call->body == NULL)
		read_body(call, &why);
	if (call->body == NULL)
		reply_error(&call->reply, 400, "the body is not JSON: %s",
			    why.text);
	access_line(call);
	if (call->body != NULL)
		run_command(call);
}

static void take_path(struct call *call)
{
	const struct route *r = &call->route;
	struct errmsg error = { 0 };

	access_line(call);
	if (!is_allowed(call, r->path->observer))
		return;
	if (r->path->get != NULL) {
		r->path->get(call->api, r->id, r->span, &call->reply);
		return;
	}
	read_body(call, &error);
	if (call->body == NULL)
		reply_error(&call->reply, 400, "the body is not JSON: %s",
			    error.text);
	else
		r->path->post(call->api, r->id, call->body, &call->reply);
}

/* The caller is known and may come in. */
static void carry_out(struct call *call)
{
	if (call->route.kind == ROUTE_COMMAND)
		take_command(call);
	else if (call->route.kind == ROUTE_PATH)
		take_path(call);
	if (!call->later)
		call_answer(call);
}

/* The one command that needs no credential; it is not long. */
static bool is_login(struct call *call)
{
	const char *name;
	size_t len;

	(void)http_request_body(call->request, &len);
	if (call->route.kind != ROUTE_COMMAND || len > LOGIN_BODY_MAX)
		return false;
	read_body(call, NULL);
	name = json_string_value(json_object_get(call->body, "cmd"));
	return name != NULL && strcmp(name, "login") == 0;
}

static void take_login(struct call *call)
{
	access_line(call);
	api_command_find("login")->run(call->api, call->body, &call->reply);
	if (!call->later)
		call_answer(call);
}

/* Who only reads is not shut out: a browser does not show the answer to a page
 * of another site.  The event channel it would, but a token opens that. */
static bool is_shut_to_others(const struct call *call)
{
	if (call->route.kind == ROUTE_EVENT)
		return call->api->cfg.options->no_web_auth;
	return strcmp(http_request_method(call->request), "POST") == 0;
}

void api_handle(struct api *api, struct http_conn *conn,
		const struct http_request *request)
{
	struct call *call = call_new(api, conn, request);

	admit_address(call);
	if (admit_is_too_plain(call)) {
		reply_error(&call->reply, 403, "this port is for https");
		call_answer(call);
		return;
	}
	route_find(api->prefix, paths, request, &call->route, &call->reply);
	if (is_shut_to_others(call) && admit_is_foreign(request)) {
		reply_reset(&call->reply);
		reply_error(&call->reply, 403,
			    "the request was made by a page of another site");
		call_answer(call);
	} else if (call->route.kind == ROUTE_EVENT) {
		event_handshake(call);
	} else if (is_login(call)) {
		take_login(call);
	} else {
		admit(call, carry_out);
	}
}

void api_gone(struct api *api, struct http_conn *conn)
{
	struct call *call = call_find(api, conn);

	if (call != NULL)
		call_drop(call);
}
