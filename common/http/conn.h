/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The connections of the HTTP server: each reads one request at a time, waits
 * for its answer and writes it.
 *
 * The pool is embedded in the server.  It owns the connections and borrows the
 * loop and the functions of the handler.
 */
#pragma once

#include "common/loop/first_byte.h"
#include "common/base/ratelimit.h"
#include "common/base/sockaddr.h"
#include "common/http/server.h"
#include "common/loop/turn_queue.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

struct http_pool {
	struct http_server_config cfg;
	/* the head is the connection whose last answer ended first */
	TAILQ_HEAD(, http_conn) conns;
	size_t n;
	/* connections, counted in n, that get 503 because their address has too
	 * many connections */
	size_t n_refused;
	struct ratelimit refused_log;
	size_t held_in; /* bytes received and not yet handled */
	size_t held_out; /* bytes not yet sent */
	struct first_byte *first; /* waits for the first byte of new
				   * connections; NULL: no TLS */
	/* passes a client to the tls worker; NULL: no TLS */
	http_serve_tls_fn *serve_tls;
	void *serve_arg;
	/* connections that wait for their turn to send a body that outlives
	 * the server (http_answer.lasting); other answers do not wait */
	struct turn_queue lasting;
};

/* Takes fd, an accepted non-blocking socket.  At the limit it closes
 * another connection, an idle one if there is one.  False: rejected with 503
 * (too many connections of its address), or closed (too many connections). */
bool http_pool_add(struct http_pool *, int fd, const struct sockaddr_any *);

/* Closes all connections; on_gone for each request without an answer. */
void http_pool_done(struct http_pool *);
