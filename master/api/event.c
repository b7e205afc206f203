/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers GET control/event/: admits clients to the event channel. */
#include "master/api/call.h"
#include "master/api/command.h"
#include "master/api/log_feed.h"
#include "master/api/redact.h"
#include "master/auth/auth.h"
#include "common/http/server.h"
#include "master/setup/options.h"
#include "common/ws/hub.h"
#include "proto/wire/ws_frame.h"

#include <stdio.h>
#include <string.h>

enum { TOKEN_MAX = 1024, SCOPES_MAX = 1024 };

static bool has_token(const char *query)
{
	for (; query != NULL; query = strchr(query, '&')) {
		query += *query == '&';
		if (strncmp(query, "token", 5) == 0 &&
		    (query[5] == '=' || query[5] == '&' || query[5] == '\0'))
			return true;
	}
	return false;
}

/* True: the parameter `scope' of the query, a list with commas, has this scope.
 * A client gets the events of a scope only if it requests the scope. */
static bool asks_for(const struct http_request *request, const char *scope)
{
	char scopes[SCOPES_MAX], *rest, *word;

	if (!http_request_query_get(request, "scope", scopes, sizeof scopes))
		return false;
	for (word = strtok_r(scopes, ",", &rest); word != NULL;
	     word = strtok_r(NULL, ",", &rest))
		if (strcmp(word, scope) == 0)
			return true;
	return false;
}

/* Returns HUB_REDUCED if observer_redact applies to the caller, else 0. */
static unsigned reduction(const struct api *api, const struct caller *caller)
{
	return caller->type == USER_OBSERVER &&
	       observer_is_reduced(config_section(api->cfg.config, "settings"))
		? HUB_REDUCED : 0;
}

/* Scopes whose events only control users may receive. */
#define CONTROL_SCOPES ((unsigned)HUB_LOG | HUB_CAM | HUB_CUE)

/* Returns the WebSocket code with which the event channel of a client must be
 * closed; 0: it stays open.  The channel of a user who may not log in any more
 * stays open, unless it has a scope of control users. */
static unsigned judge_channel(const char *login, enum hub_scope scope,
			      void *arg)
{
	const struct api *api = arg;
	struct caller caller;

	if (auth_enter(api->cfg.auth, login, &caller) != ENTRY_YES)
		return scope & CONTROL_SCOPES ? WS_GOING_AWAY : 0;
	if (scope & CONTROL_SCOPES && caller.type != USER_CONTROL)
		return WS_GOING_AWAY;
	return reduction(api, &caller) == (scope & HUB_REDUCED)
		? 0 : WS_GOING_AWAY;
}

void event_review(struct api *api)
{
	if (api->cfg.auth != NULL && !api->cfg.options->no_web_auth)
		hub_review(api->cfg.hub, judge_channel, api);
}

static bool may_control(const struct call *call)
{
	return call->api->cfg.options->no_web_auth ||
	       call->caller.type == USER_CONTROL;
}

void event_handshake(struct call *call)
{
	struct api *api = call->api;
	struct hub *hub = api->cfg.hub;
	struct http_conn *conn = call->conn;
	const struct http_request *request = call->request;
	bool is_shown = has_token(http_request_query(request));
	enum hub_scope scope = HUB_NONE;
	char token[TOKEN_MAX], login[sizeof call->caller.login];

	/* a request that is no handshake does not use up the token; the hub
	 * answers it with 400 */
	if (hub_is_handshake(request) && is_shown &&
	    !call->api->cfg.options->no_web_auth &&
	    (!http_request_query_get(request, "token", token, sizeof token) ||
	     !auth_redeem_token(call->api->cfg.auth, token,
				&call->caller))) {
		call->reply.status = 403;
		call->reply.page = true;
		call_answer(call);
		return;
	}
	if (is_shown)
		scope = asks_for(request, "alarm") ? HUB_ALL : HUB_EVENTS;
	if (is_shown)
		scope |= reduction(call->api, &call->caller);
	if (is_shown && asks_for(request, "cam") && may_control(call))
		scope |= HUB_CAM;
	if (is_shown && asks_for(request, "cue") && may_control(call))
		scope |= HUB_CUE;
	if (is_shown && asks_for(request, "epg"))
		scope |= HUB_EPG;
	if (is_shown && asks_for(request, "log") && may_control(call) &&
	    call->api->cfg.log_lines != NULL) {
		scope |= HUB_LOG;
		log_feed_start(call->api->log_feed);
	}
	(void)snprintf(login, sizeof login, "%s", call->caller.login);
	/* the hub answers, or takes over the connection */
	call_drop(call);
	hub_handshake(hub, conn, request, scope,
		      is_shown && login[0] != '\0' ? login : NULL);
	if (scope & HUB_EPG)
		guide_events_renew(api);
}
