/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The control server's HTTP/1.1 side: listening sockets, connections, time
 * and size limits.  It knows nothing of the API: every complete request goes
 * to one handler, which answers at once or later.
 *
 * Owns its sockets and connections; borrows the loop.
 */
#pragma once

#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "common/http/peers.h"
#include "proto/wire/http_request.h"

#include <stdbool.h>
#include <stddef.h>

struct ev_loop;
struct http_server;
struct http_conn; /* one connection; lives until its answer was written */

enum {
	HTTP_BODY_MAX = 8 * 1024 * 1024,
	HTTP_HEAD_TIMEOUT_MS = 10000,
	HTTP_BODY_TIMEOUT_MS = 30000,
	HTTP_IDLE_TIMEOUT_MS = 60000,
	/* For the next bytes of an answer to be taken ... */
	HTTP_ANSWER_TIMEOUT_MS = 30000,
	/* ... and beside that for all of it: bytes a second. */
	HTTP_ANSWER_RATE_MIN = 16384,
	/* Above it the connection that waited longest without a request in
	 * work makes room. */
	HTTP_CONNECTIONS_MAX = 1024,
	/* Bytes held for all connections, each way; above it large requests
	 * and answers become 503. */
	HTTP_HELD_MAX = 64 * 1024 * 1024,
};

struct http_server_config {
	struct ev_loop *loop;
	/* A whole request.  The handler calls exactly one of http_respond(),
	 * http_drop() and http_conn_take_socket() on conn, inside or later;
	 * until then request is valid.  The server may be freed inside. */
	void (*on_request)(struct http_conn *conn,
			   const struct http_request *request, void *arg);
	/* conn closed before it was answered: forget it. */
	void (*on_gone)(struct http_conn *conn, void *arg);
	void *arg;
	struct peers *peers; /* borrowed, outlives it; NULL: no bound */
	/* 0 = as above */
	unsigned head_timeout_ms;
	unsigned body_timeout_ms;
	unsigned idle_timeout_ms;
	unsigned answer_timeout_ms;
	unsigned answer_rate_min;
	unsigned connections_max;
};

/* A client begins with a TLS handshake: takes its socket and says where the
 * plaintext is, a non-blocking stream socket.  Or -errno, and the socket stays
 * the server's: it is closed, or, after -ENOTSUP, read as it is. */
typedef int http_serve_tls_fn(int fd, void *arg);

struct http_server *http_server_new(const struct http_server_config *);

/* NULL-safe.  on_gone is called for each request without an answer. */
void http_server_free(struct http_server **);

/* Binds and listens; 0 or -errno.  May be called for several addresses. */
int http_server_listen(struct http_server *,
		       const struct sockaddr_any *) MUST_CHECK;

/* As above with a socket (taken) that listens already; closed on error. */
int http_server_adopt(struct http_server *, int fd) MUST_CHECK;

/* Before the first connection. */
void http_server_set_tls(struct http_server *, http_serve_tls_fn *serve,
			 void *arg);

/* The listening socket at place i, from 0, borrowed; -1 when there is none. */
int http_server_fd(const struct http_server *, size_t i);

/* The port bound first (useful after port 0); 0 when there is none. */
uint16_t http_server_port(const struct http_server *);

struct http_answer {
	int status;
	const char *content_type; /* NULL with an empty body */
	const char *headers;      /* more lines, each with CRLF; or NULL */
	const void *body;         /* copied */
	size_t len;
};

/* Writes in the next turn of the loop: never calls back.  HEAD gets the
 * headers alone; Date, Content-Length, Connection, "Cache-Control: no-store"
 * and "X-Content-Type-Options: nosniff" are the server's matter. */
void http_respond(struct http_conn *, const struct http_answer *);

/* Closes the connection without an answer; conn and its request are gone
 * after it. */
void http_drop(struct http_conn *);

/* The peer's address as text, without port. */
const char *http_conn_peer(const struct http_conn *);

/* Does it come over TLS? */
bool http_conn_is_secure(const struct http_conn *);

/* Takes the socket (non-blocking) out of the server, for an upgrade; bytes
 * that arrived behind the request are appended to rest.  It still counts as a
 * connection of its address, until peer_leave() on *ret_from.  conn and its
 * request are gone after it. */
int http_conn_take_socket(struct http_conn *, struct buf *rest,
			  struct peer **ret_from) MUST_CHECK;
