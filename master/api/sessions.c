/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands sessions and close-session: the viewers of the streams. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/ws/hub.h"
#include "master/api/edit.h"
#include "master/streams/reconciler.h"
#include "master/streams/session_format.h"

#include <stdlib.h>
#include <string.h>

/* A request that waits for the list of viewers. */
struct question {
	struct api *api;
	struct call *call;
	struct session_wait *wait;
	json_int_t close;  /* client_id of the session to close; -1: none */
};

/* Returns the sessions with the names of their streams; a new reference. */
static json_t *name_channels(const struct api *api, const json_t *sessions)
{
	json_t *list = json_array();
	const json_t *session;
	size_t i;

	json_array_foreach((json_t *)sessions, i, session) {
		const char *id = json_string_value(
			json_object_get(session, "channel_id"));
		json_t *name = json_object_get(
			config_stream(api->cfg.config, id), "name");
		json_t *copy = json_copy((json_t *)session);

		if (name != NULL)
			(void)json_object_set(copy, "channel_name", name);
		(void)json_array_append_new(list, copy);
	}
	return list;
}

void api_report_viewers(struct api *api, const struct msg_deliver_changes *c)
{
	json_t *list, *named, *message;

	if (api == NULL || c->n_joined + c->n_left == 0 ||
	    !hub_has_listeners(api->cfg.hub))
		return;
	list = json_array();
	for (size_t i = 0; i < c->n_joined; i++)
		(void)json_array_append_new(list,
					    session_format(&c->joined[i]));
	named = name_channels(api, list);
	json_decref(list);
	for (size_t i = 0; i < c->n_left; i++)
		(void)json_array_append_new(
			named, json_pack("{s:I}", "client_id",
					 (json_int_t)c->left[i]));
	message = edit_message("session_event");
	(void)json_object_set_new(message, "sessions", named);
	hub_broadcast(api->cfg.hub, message, HUB_SOON);
	json_decref(message);
}

/* Returns the session with this client_id, borrowed; NULL: none. */
static const json_t *find_client(const json_t *sessions, json_int_t id)
{
	json_t *session;
	size_t i;

	json_array_foreach((json_t *)sessions, i, session)
		if (json_integer_value(json_object_get(session,
						       "client_id")) == id)
			return session;
	return NULL;
}

/* Logs that a session of HLS was closed.  The line also says that without a
 * token all clients at one address share a session, and so lose it. */
static void log_closed(const json_t *session)
{
	const char *protocol = edit_text(session, "protocol");
	const char *stream = edit_text(session, "channel_id");
	const char *address = edit_text(session, "addr");

	if (protocol != NULL && strcmp(protocol, "hls") == 0)
		log_info("auth", "stream %s: HLS session of %s closed by the "
				 "API: its requests get 403 until none has "
				 "arrived for 35 s; without a token, all "
				 "clients at one address share a session",
			 stream != NULL ? stream : "?",
			 address != NULL ? address : "?");
}

static void on_list(const json_t *viewers, void *arg)
{
	struct question *q = arg;
	struct call *call = q->call;
	struct api *api = q->api;
	json_int_t close = q->close;
	json_t *sessions, *body;
	const json_t *closed;
	struct reply *reply;

	free(q);
	reply = call_reply(call);
	sessions = json_copy((json_t *)viewers);
	if (sessions != NULL)
		reconciler_list_receivers(api->cfg.reconciler, sessions);
	if (sessions == NULL) {
		reply_error(reply, 503, "the process that serves viewers does "
					"not answer: try again");
	} else if (close < 0) {
		body = json_object();
		(void)json_object_set_new(body, "sessions",
					  name_channels(api, sessions));
		reply_json(reply, body);
	} else if ((closed = find_client(sessions, close)) != NULL) {
		log_closed(closed);
		reconciler_close_session(api->cfg.reconciler, (uint64_t)close);
		reply_ok(reply, "close-session");
	} else {
		reply_error(reply, 404, "id: there is no session %lld",
			    (long long)close);
	}
	json_decref(sessions);
	call_finish(call);
}

/* The client has left: cancels its request. */
static void forget(void *arg)
{
	struct question *q = arg;

	session_list_forget(&q->wait);
	free(q);
}

static void ask(struct api *api, json_int_t close, struct reply *reply)
{
	struct question *q = xcalloc(1, sizeof *q);

	q->api = api;
	q->close = close;
	q->call = reply_later(reply, forget, q);
	q->wait = reconciler_list_sessions(api->cfg.reconciler, on_list, q);
}

static void sessions_list(struct api *api, const json_t *request,
			  struct reply *reply)
{
	(void)request;
	ask(api, -1, reply);
}

static void sessions_close(struct api *api, const json_t *request,
			   struct reply *reply)
{
	const json_t *id = edit_get(request, "id");
	json_int_t client = edit_number(id);

	if (id == NULL)
		reply_error(reply, 400, "id: is missing");
	else if (client < 0)
		reply_error(reply, 400, "id: is not the number of a session");
	else
		ask(api, client, reply);
}

const struct api_command sessions_commands[] = {
	{ "close-session", sessions_close, OBSERVER_FORBIDDEN, 0 },
	{ "sessions", sessions_list, OBSERVER_ALLOWED, 0 },
	{ 0 },
};
