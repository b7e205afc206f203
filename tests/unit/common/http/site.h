/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the tests of the control server: one with a simple handler. */
#pragma once

#include "common/http/server.h"
#include "tests/unit/common/http/client.h"

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>

enum { HELD_MAX = 2000, SITE_LARGE = 4 * 1024 * 1024 };

#define GET "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

/* A server and the requests that its handler received.  "/later" waits,
 * "/large" gets large, "/lasting" gets it without a copy, other requests are
 * echoed. */
struct site {
	struct ev_loop *loop;
	struct http_server *server;
	struct http_server_config cfg; /* until site_listen() */
	struct http_conn *conns[HELD_MAX]; /* not yet answered */
	size_t n_conns;
	struct http_conn *judged; /* its head waits for a judgement */
	unsigned requests;
	unsigned gone;
	char *large; /* SITE_LARGE bytes */
};

struct site *site_new(void);
void site_listen(struct site *);

/* Both of the above. */
struct site *site_open(void);
void site_close(struct site *);

struct client site_visit(struct site *);

/* Answers 200 with text. */
void site_say(struct http_conn *, const char *text);

/* The callbacks of the server. */
void site_on_gone(struct http_conn *, void *site);

/* Judges heads: paths "/yes" at once, "/wait" later, others get 403. */
void site_on_head(struct http_conn *, const struct http_request *, void *site);

/* For drive(): a request waits for its answer. */
bool site_one_waits(void *site);
