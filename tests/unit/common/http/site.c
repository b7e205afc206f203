/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/common/http/site.h"

#include "common/base/alloc.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void site_on_gone(struct http_conn *conn, void *arg)
{
	struct site *s = arg;

	s->gone++;
	for (size_t i = 0; i < s->n_conns; i++)
		if (s->conns[i] == conn)
			s->conns[i] = NULL;
}

void site_say(struct http_conn *conn, const char *text)
{
	http_respond(conn, &(struct http_answer){
				   .status = 200,
				   .content_type = "text/plain",
				   .body = text,
				   .len = strlen(text),
			   });
}

/* "/later" waits, "/large" is large, "/lasting" too and not copied, others are
 * echoed. */
static void on_request(struct http_conn *conn,
		       const struct http_request *request, void *arg)
{
	struct site *s = arg;
	const char *path = http_request_path(request);
	size_t len;
	const uint8_t *body = http_request_body(request, &len);
	char text[256];

	s->requests++;
	if (strcmp(path, "/later") == 0) {
		s->conns[s->n_conns++] = conn;
		return;
	}
	if (strcmp(path, "/large") == 0 || strcmp(path, "/lasting") == 0) {
		http_respond(conn, &(struct http_answer){
					   .status = 200,
					   .content_type = "text/plain",
					   .body = s->large,
					   .len = SITE_LARGE,
					   .lasting = path[3] == 's' });
		return;
	}
	snprintf(text, sizeof text, "[%s %s %.*s]",
		 http_request_method(request), path, (int)MIN(len, 100U),
		 (const char *)body);
	site_say(conn, text);
}

void site_on_head(struct http_conn *conn, const struct http_request *request,
		  void *arg)
{
	const char *path = http_request_path(request);
	struct site *s = arg;

	if (strcmp(path, "/yes") == 0)
		http_continue(conn);
	else if (strcmp(path, "/wait") == 0)
		s->judged = conn;
	else
		http_respond(conn, &(struct http_answer){ .status = 403 });
}

void site_listen(struct site *s)
{
	struct sockaddr_any any;

	s->server = http_server_new(&s->cfg);
	cr_assert_eq(sockaddr_parse("127.0.0.1", 0, &any), 0);
	cr_assert_eq(http_server_listen(s->server, &any), 0);
}

struct site *site_new(void)
{
	struct site *s = xcalloc(1, sizeof *s);

	s->loop = ev_loop_new(EVFLAG_AUTO);
	s->cfg = (struct http_server_config){
		.loop = s->loop,
		.on_request = on_request,
		.on_gone = site_on_gone,
		.arg = s,
	};
	return s;
}

struct site *site_open(void)
{
	struct site *s = site_new();

	site_listen(s);
	return s;
}

void site_close(struct site *s)
{
	http_server_free(&s->server);
	cr_assert_null(s->server);
	ev_loop_destroy(s->loop);
	free(s->large);
	free(s);
}

struct client site_visit(struct site *s)
{
	return client_open(s->loop, http_server_fd(s->server, 0));
}
bool site_one_waits(void *arg)
{
	return ((struct site *)arg)->n_conns >= 1;
}
