/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/api.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"
#include "common/base/mono.h"
#include "common/base/utf8.h"
#include "master/api/admit.h"
#include "master/api/alarms.h"
#include "master/api/apply.h"
#include "master/api/call.h"
#include "master/api/certificate.h"
#include "master/api/command.h"
#include "master/api/cors.h"
#include "master/api/discovery.h"
#include "master/api/host_files.h"
#include "master/api/log_feed.h"
#include "master/api/recordings.h"
#include "master/api/revisions_query.h"
#include "master/api/route.h"
#include "master/api/scans.h"
#include "master/api/viewer_door.h"
#include "master/auth/auth.h"
#include "master/status/host_advice.h"
#include "common/account/client_address.h"
#include "common/account/origin.h"
#include "common/account/own_host.h"
#include "common/account/user.h"
#include "common/document/document.h"
#include "common/http/server.h"
#include "master/setup/options.h"
#include "master/streams/epg_exports.h"
#include "master/streams/reconciler.h"
#include "master/viewers/viewers.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	LOGIN_BODY_MAX = HTTP_UNJUDGED_MAX,
	ODD_BURST = 20, /* logged warnings about streams in ten seconds */
	/* size in bytes from which on replies of the overview are shared */
	OVERVIEW_LARGE = 64 * 1024,
	WARNINGS_MAX = 20, /* most warnings in a reply */
};

/* The paths of each file. */
extern const struct api_path
	adapters_paths[],
	announcements_paths[],
	config_paths[],
	forms_query_paths[],
	health_paths[],
	history_query_paths[],
	log_query_paths[],
	metrics_paths[],
	revisions_query_paths[],
	satip_servers_paths[],
	status_paths[],
	stream_analysis_paths[],
	stream_epg_paths[],
	streams_paths[],
	web_lists_paths[];

static const struct api_path *const paths[] = {
	adapters_paths,
	announcements_paths,
	config_paths,
	forms_query_paths,
	health_paths,
	history_query_paths,
	log_query_paths,
	metrics_paths,
	revisions_query_paths,
	satip_servers_paths,
	status_paths,
	stream_analysis_paths,
	stream_epg_paths,
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
	/* a shorter reply is always made anew, because it costs little */
	api->overview.least = OVERVIEW_LARGE;
	api->odd_limit.burst = ODD_BURST;
	ev_init(&api->restart, on_restart);
	api->host = host_advice_new(HOST_SETTINGS);
	api->files = host_files_new(api);
	api->stream_files = host_files_new(api);
	api->revisions = revisions_query_new(api);
	api->log_feed = log_feed_new(api);
	api->scans = scans_new(cfg->loop, cfg->reconciler);
	api->announcements = discovery_new(reconciler_jobs(cfg->reconciler),
					   &announcements_kind);
	api->satip_servers = discovery_new(reconciler_jobs(cfg->reconciler),
					   &satip_servers_kind);
	api->alarms = alarms_new(api);
	api->prefix = route_prefix(json_string_value(
		config_setting(cfg->config, "control_path")));
	viewers_set_lists(cfg->viewers, viewer_door_list, api);
	return api;
}

void api_free(struct api **p)
{
	struct api *api = *p;

	*p = NULL;
	if (api == NULL)
		return;
	assert(LIST_EMPTY(&api->calls));
	viewers_set_lists(api->cfg.viewers, NULL, NULL);
	ev_timer_stop(api->cfg.loop, &api->restart);
	scans_free(&api->scans);
	discovery_free(&api->announcements);
	discovery_free(&api->satip_servers);
	alarms_free(&api->alarms);
	host_files_free(&api->files);
	host_files_free(&api->stream_files);
	revisions_query_free(&api->revisions);
	log_feed_free(&api->log_feed);
	epg_exports_free(&api->exports);
	host_advice_free(&api->host);
	json_decref(api->in_force);
	json_decref(api->lnb_misfits);
	text_cache_done(&api->forms);
	text_cache_done(&api->metrics);
	text_cache_done(&api->overview);
	text_cache_done(&api->document);
	text_cache_done(&api->file);
	free(api->prefix);
	free(api);
}

void api_reload_failed(struct api *api, const char *error)
{
	alarms_set_reload(api->alarms, error);
}

struct system_alarms *api_alarms(struct api *api)
{
	return alarms_state(api->alarms);
}

void api_start_streams(struct api *api)
{
	certificate_apply(api);
	recordings_name(api);
	api_start_softcams(api);
	api_start_adapters(api);
	api_watch_cues(api);
	api_watch_guide(api);
	apply_all(api, false);
	alarms_start(api->alarms);
}

json_t *api_host_advice(struct api *api)
{
	const json_t *list = host_advice_look(
		api->host, config_section(api->cfg.config, "make_stream"),
		mono_ms());

	/* the caller copies the list and does not change it */
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

json_t *warning_text(const char *path, const char *text)
{
	char *both = xasprintf("%s%s%s", path, path[0] != '\0' ? ": " : "",
			       text);
	json_t *value;

	/* a path that was cut may end inside a character */
	utf8_repair(both);
	value = json_string(both);
	free(both);
	return value;
}

void warnings_add(json_t *list, const char *path, const char *text)
{
	if (json_array_size(list) < WARNINGS_MAX)
		(void)json_array_append_new(list, warning_text(path, text));
}

void reply_warn(struct reply *reply, const char *path, const char *text)
{
	json_t *list = json_object_get(reply->body, "warnings");

	if (list == NULL) {
		list = json_array();
		(void)json_object_set_new(reply->body, "warnings", list);
	}
	warnings_add(list, path, text);
}

void reply_error(struct reply *reply, int status, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	utf8_repair(text);
	reply->status = status;
	json_decref(reply->body);
	reply->body = json_object();
	(void)json_object_set_new(reply->body, "error", json_string(text));
}

enum observer_access api_access(int user_type, enum observer_access observer)
{
	if (user_type == USER_CONTROL)
		return OBSERVER_ALLOWED;
	return user_type == USER_OBSERVER ? observer : OBSERVER_FORBIDDEN;
}

/* Judges whether the caller may use a command or path (what: its name).  False:
 * the reply already has the error. */
static bool is_allowed(struct call *call, enum observer_access observer,
		       const char *what)
{
	enum observer_access access = api_access(call->caller.type, observer);

	if (access != OBSERVER_ALLOWED)
		auth_log_refusal(call->api->cfg.auth, &call->caller, what);
	if (access == OBSERVER_FORBIDDEN)
		reply_error(&call->reply, 403, "an observer may not do this: "
			    "the login is \"%.64s\"", call->caller.login);
	else if (access == OBSERVER_HIDDEN)
		reply_error(&call->reply, 404, "not found");
	return access == OBSERVER_ALLOWED;
}

/* Judges `dry_run' of the request.  False: the reply already has the error. */
static bool judge_dry_run(const struct api_command *command,
			  const json_t *request, struct reply *reply)
{
	const json_t *dry_run = json_object_get(request, "dry_run");

	if (dry_run != NULL && !json_is_boolean(dry_run))
		reply_error(reply, 400, "dry_run: is not true or false");
	else if (json_is_true(dry_run) && !(command->flags & COMMAND_DRY))
		reply_error(reply, 400, "dry_run: is not possible with %s",
			    command->name);
	return reply->status == 0;
}

static void refuse_unknown(const char *name, struct reply *reply)
{
	const char *nearest = api_command_nearest(name);

	if (nearest != NULL)
		reply_error(reply, 400, "cmd: \"%.64s\" is not a command; is "
			    "it \"%s\"?", name, nearest);
	else
		reply_error(reply, 400, "cmd: \"%.64s\" is not a command",
			    name);
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
					      : OBSERVER_FORBIDDEN, name))
		return;
	if (command == NULL)
		refuse_unknown(name, reply);
	else if (judge_dry_run(command, call->body, reply))
		call_run(call, command->run);
}

/* Decodes the body of the request to call->body; it is NULL if the reply
 * already has an error. */
static void read_body(struct call *call)
{
	struct errmsg error = { 0 };
	size_t len;
	const uint8_t *body = http_request_body(call->request, &len);

	call->body = document_parse((const char *)body, len, &error);
	if (call->body == NULL)
		reply_error(&call->reply, 400, "the body is not JSON: %s",
			    error.text);
}

static void take_path(struct call *call)
{
	const struct route *r = &call->route;

	if (!r->path->open)
		access_line(call);
	if (!r->path->open &&
	    !is_allowed(call, r->path->observer, r->path->path))
		return;
	if (r->path->get != NULL) {
		r->path->get(call->api, r->id, r->span, &call->reply);
		return;
	}
	read_body(call);
	if (call->body == NULL)
		return;
	config_set_author(call->api->cfg.config, call->caller.login);
	r->path->post(call->api, r->id, call->body, &call->reply);
	config_set_author(call->api->cfg.config, NULL);
}

/* Carries out a request whose caller is identified and may enter. */
static void carry_out(struct call *call)
{
	if (call->route.kind == ROUTE_PATH) {
		take_path(call);
	} else if (call->route.kind == ROUTE_COMMAND) {
		if (call->body == NULL)
			read_body(call);
		access_line(call);
		if (call->body != NULL)
			run_command(call);
	}
	if (!call->later)
		call_answer(call);
}

/* True: the path needs no credential; its answer has no data. */
static bool is_open(const struct call *call)
{
	return call->route.kind == ROUTE_PATH && call->route.path->open;
}

/* True: the request is the command login, which needs no credential and has a
 * short body. */
static bool is_login(struct call *call)
{
	const char *name;
	size_t len;
	const uint8_t *body = http_request_body(call->request, &len);

	if (call->route.kind != ROUTE_COMMAND || len > LOGIN_BODY_MAX)
		return false;
	call->body = document_parse((const char *)body, len, NULL);
	name = json_string_value(json_object_get(call->body, "cmd"));
	return name != NULL && strcmp(name, "login") == 0;
}

/* True: a page of another site made the browser send the request. */
static bool is_of_other_site(const struct call *call)
{
	const struct http_request *request = call->request;
	const struct origin origin = {
		.fetch_site = http_request_header(request, "sec-fetch-site"),
		.origin = http_request_header(request, "origin"),
		.host = http_request_header(request, "host"),
	};

	return origin_is_foreign(&origin);
}

/* True: a page of another site made the browser send a request that could
 * change something.  A request that only reads is admitted: the browser hides
 * the answer from that page.  The event channel would not be hidden, but it
 * needs a token, unless accounts are switched off. */
static bool is_foreign(const struct call *call)
{
	bool matters = call->route.kind == ROUTE_EVENT
		? call->api->cfg.options->no_web_auth
		: strcmp(http_request_method(call->request), "POST") == 0;

	return matters && is_of_other_site(call);
}

/* True: accounts are switched off, and the client uses a host name that this
 * machine does not have.  A page of another site may have made its browser do
 * so (DNS rebinding). */
static bool is_rebound(const struct call *call)
{
	char machine[HOST_NAME_MAX + 1] = "";
	struct own_host own = {
		.settings = config_settings(call->api->cfg.config),
		.machine = machine,
	};

	if (!call->api->cfg.options->no_web_auth)
		return false;
	own.local = *http_conn_local(call->conn);
	if (gethostname(machine, sizeof machine) < 0)
		machine[0] = '\0';
	machine[sizeof machine - 1] = '\0';
	return !own_host_is(http_request_header(call->request, "host"), &own);
}

/* True: the request came as plain HTTP from another host, and the settings
 * require TLS (control_tls_only). */
static bool is_too_plain(const struct call *call)
{
	struct ip_address peer;

	return !call->caller.secure &&
	       json_is_true(config_setting(call->api->cfg.config,
					   "control_tls_only")) &&
	       (ip_parse(http_conn_peer(call->conn), &peer) < 0 ||
		!ip_is_loopback(&peer));
}

/* Makes the call of a request.  NULL: the request was answered, because it is
 * a preflight request, or is rejected whatever its credential. */
static struct call *call_open(struct api *api, struct http_conn *conn,
			      const struct http_request *request)
{
	struct call *call = call_new(api, conn, request);

	client_address(config_settings(api->cfg.config), http_conn_peer(conn),
		       http_request_header(request, "x-real-ip"),
		       &call->caller.address);
	call->caller.secure = http_conn_is_secure(conn);
	if (is_too_plain(call)) {
		reply_error(&call->reply, 403, "control_tls_only: plain http "
					       "is only for clients on this "
					       "machine: use https");
	} else if (is_rebound(call)) {
		reply_error(&call->reply, 403, "Host: the requested name is "
			    "not known as a name of this machine: use its IP "
			    "address, or add the name to "
			    "settings.control_hosts");
	} else {
		call->listed = is_of_other_site(call) && cors_is_listed(call);
		if (cors_is_preflight(call)) {
			cors_answer_preflight(call);
			return NULL;
		}
		route_find(api->prefix, paths, request, &call->route,
			   &call->reply);
		if (call->listed || !is_foreign(call))
			return call;
		reply_reset(&call->reply);
		reply_error(&call->reply, 403,
			    "the request was made by a web page of another "
			    "site: to allow it, add its origin to "
			    "settings.web_origins");
	}
	call_answer(call);
	return NULL;
}

void api_handle(struct api *api, struct http_conn *conn,
		const struct http_request *request)
{
	struct call *call;

	if (viewer_door_take(api, conn, request))
		return;
	call = call_open(api, conn, request);
	if (call == NULL)
		return;
	if (call->route.kind == ROUTE_EVENT) {
		event_handshake(call);
	} else if (page_is_wanted(call)) {
		page_answer(call);
	} else if (is_login(call)) {
		access_line(call);
		api_command_find("login")->run(api, call->body, &call->reply);
		if (!call->later)
			call_answer(call);
	} else if (is_open(call)) {
		carry_out(call);
	} else {
		admit(call, carry_out);
	}
}

/* Lets the connection receive the body.  api_handle() then judges the whole
 * request again, because the user may have changed meanwhile. */
static void receive_body(struct call *call)
{
	struct http_conn *conn = call->conn;

	call_drop(call);
	http_continue(conn);
}

void api_judge_head(struct api *api, struct http_conn *conn,
		    const struct http_request *request)
{
	struct call *call = call_open(api, conn, request);

	if (call == NULL)
		return;
	if (page_is_wanted(call))
		page_answer(call);
	else if (is_open(call))
		carry_out(call);
	else
		admit(call, receive_body);
}

void api_gone(struct api *api, struct http_conn *conn)
{
	struct call *c;

	LIST_FOREACH(c, &api->calls, link)
		if (c->conn == conn)
			break;
	if (c != NULL)
		call_drop(c);
}
