/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The connections of the control server: each reads one request at a time,
 * waits for its answer and writes it.
 *
 * The pool is embedded in the server.  It owns the connections; it borrows the
 * loop and the handler's functions.
 */
#pragma once

#include "common/loop/first_byte.h"
#include "common/base/ratelimit.h"
#include "common/base/sockaddr.h"
#include "common/http/server.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

struct http_pool {
	struct http_server_config cfg;
	/* the one that began to wait first is in front */
	TAILQ_HEAD(, http_conn) conns;
	size_t n;
	size_t n_refused; /* of them, being told that they are too many */
	struct ratelimit refused_log;
	size_t held_in; /* bytes received and not yet handled */
	size_t held_out; /* bytes not yet sent */
	struct first_byte *first; /* where new ones wait; or NULL */
	http_serve_tls_fn *serve_tls; /* with first */
	void *serve_arg;
};

/* Takes fd, an accepted non-blocking socket.  Above the limit another
 * connection makes room; false (and fd is closed) when none can.  One that is
 * too many of its address is told so and ends. */
bool http_pool_add(struct http_pool *, int fd, const struct sockaddr_any *);

/* Closes all; on_gone for each request without an answer. */
void http_pool_done(struct http_pool *);
