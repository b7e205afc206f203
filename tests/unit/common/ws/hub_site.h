/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A server whose requests go to a hub, and its clients. */
#pragma once

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/http/server.h"
#include "common/ws/hub.h"
#include "tests/unit/common/http/client.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UPGRADE "Upgrade: websocket\r\nConnection: Upgrade\r\n"
#define ASK(path) "GET " path " HTTP/1.1\r\nHost: a\r\n" UPGRADE "\r\n"
#define PING "\x81\x84\0\0\0\0ping"

struct site {
	struct ev_loop *loop;
	struct http_server *server;
	struct hub *hub;
	unsigned lines;
	char line[256];
};

/* "/" listens, "/cam" and "/both" also to extra scopes, every other path is for
 * liveness. */
static void on_request(struct http_conn *conn,
		       const struct http_request *request, void *arg)
{
	struct site *s = arg;
	const char *path = http_request_path(request);
	unsigned scope = strcmp(path, "/") == 0       ? HUB_EVENTS
			 : strcmp(path, "/reduced") == 0
				 ? HUB_EVENTS | HUB_REDUCED
			 : strcmp(path, "/cam") == 0  ? HUB_EVENTS | HUB_CAM
			 : strcmp(path, "/both") == 0 ? HUB_ALL | HUB_CAM |
							       HUB_LOG
						      : HUB_NONE;

	hub_handshake(s->hub, conn, request, (enum hub_scope)scope, NULL);
}

static void on_gone(struct http_conn *conn, void *arg)
{
	(void)conn, (void)arg;
}

static void keep_line(enum log_level level, const char *component,
		      const char *text, void *arg)
{
	struct site *s = arg;

	(void)level, (void)component;
	s->lines++;
	snprintf(s->line, sizeof s->line, "%s", text);
}

static inline struct site *site_open(void)
{
	struct site *s = xcalloc(1, sizeof *s);
	struct sockaddr_any any;
	struct http_server_config cfg = {
		.on_request = on_request, .on_gone = on_gone, .arg = s };

	log_open(keep_line, s, LOG_LEVEL_WARNING);
	cfg.loop = s->loop = ev_loop_new(EVFLAG_AUTO);
	s->hub = hub_new(s->loop);
	s->server = http_server_new(&cfg);
	cr_assert_eq(sockaddr_parse("127.0.0.1", 0, &any), 0);
	cr_assert_eq(http_server_listen(s->server, &any), 0);
	return s;
}

static inline void site_close(struct site *s)
{
	log_open(NULL, NULL, LOG_LEVEL_WARNING);
	hub_free(&s->hub);
	cr_assert_null(s->hub);
	http_server_free(&s->server);
	ev_loop_destroy(s->loop);
	free(s);
}

static inline struct client visit(struct site *s)
{
	return client_open(s->loop, http_server_fd(s->server, 0));
}

/* Shakes hands; c.in is empty after it. */
static inline struct client join(struct site *s, const char *request)
{
	struct client c = visit(s);

	cr_assert(client_say(&c, request));
	cr_assert(client_expect(&c, "\r\n\r\n"), "%s", client_text(&c));
	cr_assert_eq(strncmp(client_text(&c), "HTTP/1.1 101 ", 13), 0);
	buf_reset(&c.in, 0);
	return c;
}

static inline void broadcast(struct site *s, unsigned n,
			     enum hub_urgency urgency)
{
	json_t *message = json_pack("{s:s, s:I}", "scope", "test", "n",
				    (json_int_t)n);

	hub_broadcast(s->hub, message, urgency);
	json_decref(message);
}
