/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The web interface: its page and its files, for every client. */
#include "common/http/server.h"
#include "master/api/call.h"
#include "master/http/static_answer.h"
#include "master/setup/options.h"

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

/* "/north/side" leads to "./side/", whatever a proxy calls the first part. */
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

void page_answer(struct call *c)
{
	const char *name = c->route.kind == ROUTE_FILE ? c->route.id : NULL;
	struct static_answer answer;

	if (c->route.kind == ROUTE_BARE) {
		redirect(c);
		return;
	}
	if (!static_answer(&static_tree, c->api->cfg.options->web_dir, name,
			   c->request, &answer)) {
		refuse(c);
		return;
	}
	http_respond(c->conn, &answer.http);
	static_answer_done(&answer);
	call_free(c);
}
