/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers with the web interface: its page and its files. */
#include "common/http/server.h"
#include "master/api/call.h"
#include "common/account/credential.h"
#include "master/api/edit.h"
#include "master/auth/auth.h"
#include "master/http/static_answer.h"
#include "master/setup/options.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

bool page_is_wanted(const struct call *c)
{
	return c->route.kind == ROUTE_PAGE || c->route.kind == ROUTE_FILE ||
	       c->route.kind == ROUTE_BARE;
}

static void refuse(struct call *c)
{
	reply_error(&c->reply, 404, "there is no such path");
	call_answer(c);
}

/* Redirects the prefix without its last slash: "/north/side" to "./side/".  The
 * relative address is right even if a proxy changes the first part of the path.
 * Answers 404 if the last part has characters that are not in plain. */
static void redirect(struct call *c)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~";
	char where[ROUTE_ID_MAX];
	const char *last = c->api->prefix + strlen(c->api->prefix) - 1;

	while (last > c->api->prefix && last[-1] != '/')
		last--;
	if (last[strspn(last, plain)] != '/' ||
	    snprintf(where, sizeof where, "./%s", last) >= (int)sizeof where) {
		refuse(c);
		return;
	}
	reply_header(&c->reply, "Location", where);
	c->reply.status = 308;
	call_answer(c);
}

/* True: the caller is logged in, or accounts are switched off.  Only such a
 * caller gets a page whose policy names other headends. */
static bool is_logged_in(struct call *c)
{
	const char *cookie = http_request_header(c->request, "cookie");
	char id[SECRET_TEXT];

	return c->api->cfg.options->no_web_auth ||
	       (credential_cookie(cookie, id) &&
		auth_enter_session(c->api->cfg.auth, id, &c->caller));
}

/* True: the host has only characters of names and addresses, so none that ends
 * a directive of the content security policy. */
static bool is_host(const char *text)
{
	return text != NULL && text[0] != '\0' &&
	       strlen(text) <= HOST_NAME_MAX &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]_") ==
		       strlen(text);
}

/* Writes the addresses of the enabled `servers' for connect-src of the content
 * security policy. */
static void list_hosts(struct call *c, char hosts[STATIC_HOSTS_MAX])
{
	static const char *const schemes[] = { "http", "https", "ws", "wss" };
	const json_t *list = config_section(c->api->cfg.config, "servers");
	size_t len = 0, i;
	json_t *server;

	hosts[0] = '\0';
	json_array_foreach((json_t *)list, i, server) {
		const char *host = edit_text(server, "host");
		json_int_t port = edit_number(json_object_get(server, "port"));
		bool is_v6 = host != NULL && strchr(host, ':') != NULL &&
			     host[0] != '[';

		if (!json_is_true(json_object_get(server, "enable")) ||
		    !is_host(host) || port < 1 || port > UINT16_MAX ||
		    len + ARRAY_LEN(schemes) * (strlen(host) + 20) >=
			    STATIC_HOSTS_MAX)
			continue;
		for (size_t k = 0; k < ARRAY_LEN(schemes); k++)
			len += (size_t)snprintf(
				hosts + len, STATIC_HOSTS_MAX - len,
				" %s://%s%s%s:%d", schemes[k],
				is_v6 ? "[" : "", host, is_v6 ? "]" : "",
				(int)port);
	}
}

void page_answer(struct call *c)
{
	char hosts[STATIC_HOSTS_MAX] = "";
	struct static_query query = {
		.folder = c->api->cfg.options->web_dir,
		.name = c->route.kind == ROUTE_FILE ? c->route.id : NULL,
		.hosts = hosts,
		.request = c->request,
	};
	struct static_answer answer;

	if (c->route.kind == ROUTE_BARE) {
		redirect(c);
		return;
	}
	if (query.name == NULL && is_logged_in(c))
		list_hosts(c, hosts);
	if (!static_answer(&static_tree, &query, &answer)) {
		refuse(c);
		return;
	}
	http_respond(c->conn, &answer.http);
	static_answer_done(&answer);
	call_free(c);
}
