/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/event.h"

#include "master/auth/auth.h"
#include "common/http/server.h"
#include "master/setup/options.h"
#include "common/ws/ws_handshake.h"
#include "common/ws/hub.h"

#include <string.h>

enum { TOKEN_MAX = 1024, SCOPES_MAX = 256 };

/* What the query says of a token. */
enum shown { SHOWN_NONE, SHOWN_BAD, SHOWN_TOKEN };

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

static enum shown read_token(const struct http_request *request,
			     char token[TOKEN_MAX])
{
	if (!has_token(http_request_query(request)))
		return SHOWN_NONE;
	return http_request_query_get(request, "token", token, TOKEN_MAX)
		       ? SHOWN_TOKEN
		       : SHOWN_BAD;
}

/* The scopes that are only for those who ask for them, with commas between
 * them; there is one. */
static bool asks_for_alarms(const struct http_request *request)
{
	char scopes[SCOPES_MAX], *rest, *word;

	if (!http_request_query_get(request, "scope", scopes, sizeof scopes))
		return false;
	for (word = strtok_r(scopes, ",", &rest); word != NULL;
	     word = strtok_r(NULL, ",", &rest))
		if (strcmp(word, "alarm") == 0)
			return true;
	return false;
}

static enum hub_scope find_ear(const struct http_request *request,
			       enum shown shown)
{
	if (shown == SHOWN_NONE)
		return HUB_NONE;
	return asks_for_alarms(request) ? HUB_ALL : HUB_EVENTS;
}

static void refuse(struct call *call)
{
	call->reply.status = 403;
	call->reply.page = true;
	call_answer(call);
}

void event_handshake(struct call *call)
{
	struct hub *hub = call->api->cfg.hub;
	struct http_conn *conn = call->conn;
	const struct http_request *request = call->request;
	char token[TOKEN_MAX];
	enum shown shown = read_token(request, token);

	/* a request without a handshake spends no token: the hub replies 400 */
	if (ws_handshake_wanted(request) && shown != SHOWN_NONE &&
	    !call->api->cfg.options->no_web_auth &&
	    (shown == SHOWN_BAD ||
	     !auth_redeem_token(call->api->cfg.auth, token))) {
		refuse(call);
		return;
	}
	/* the hub answers, or takes the connection away */
	call_drop(call);
	hub_handshake(hub, conn, request, find_ear(request, shown));
}
