/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HTTP/1.1 server: listening sockets, connections, limits of time and size.
 * Every complete request goes to one handler, which answers at once or later.
 *
 * Owns its sockets and connections; borrows the loop.
 */
#pragma once

#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "common/base/peers.h"
#include "proto/wire/http_request.h"

#include <stdbool.h>
#include <stddef.h>

struct ev_loop;
struct http_server;
struct http_conn; /* a connection, until its answer was written */

enum {
	HTTP_BODY_MAX = 8 * 1024 * 1024,
	/* The largest body of a request that the handler has not judged. */
	HTTP_UNJUDGED_MAX = 8192,
	HTTP_HEAD_TIMEOUT_MS = 10000,
	HTTP_BODY_TIMEOUT_MS = 30000,
	HTTP_IDLE_TIMEOUT_MS = 60000,
	/* Longest time in which the client receives no byte of an answer. */
	HTTP_ANSWER_TIMEOUT_MS = 30000,
	/* Least rate, in bytes per second, at which the client must receive a
	 * whole answer. */
	HTTP_ANSWER_RATE_MIN = 16384,
	/* At the limit the connection that has been idle longest is closed, or
	 * if none is idle, the one whose last answer ended first, but none that
	 * waits for the handler. */
	HTTP_CONNECTIONS_MAX = 1024,
	/* Bytes of all connections, per direction; above it large requests
	 * and answers become 503. */
	HTTP_HELD_MAX = 64 * 1024 * 1024,
	/* Received bytes of the connections of one address, where `peers'
	 * limits their number. */
	HTTP_PEER_HELD_MAX = 16 * 1024 * 1024,
};

struct http_server_config {
	struct ev_loop *loop;
	/* Called with a complete request.  The handler calls exactly one of
	 * http_respond(), http_drop() and http_conn_take_socket() on conn,
	 * inside or later; until then request is valid.  The server may be
	 * freed inside. */
	void (*on_request)(struct http_conn *conn,
			   const struct http_request *request, void *arg);
	/* Called with the head of a request whose body is longer than
	 * HTTP_UNJUDGED_MAX.  The handler calls, inside or later,
	 * http_continue(), and gets the whole request, or http_respond(),
	 * http_drop() or http_conn_take_socket().  NULL: every body is
	 * received. */
	void (*on_head)(struct http_conn *conn,
			const struct http_request *request, void *arg);
	/* Called when conn was closed before its answer: do not use it any
	 * more. */
	void (*on_gone)(struct http_conn *conn, void *arg);
	void *arg;
	struct peers *peers; /* borrowed, outlives the server; NULL: no limit */
	/* 0: the value of the enum above, such as HTTP_HEAD_TIMEOUT_MS */
	unsigned head_timeout_ms;
	unsigned body_timeout_ms;
	unsigned idle_timeout_ms;
	unsigned answer_timeout_ms;
	unsigned answer_rate_min;
	unsigned connections_max;
	unsigned retire_ms; /* see http_server_retire() */
};

/* For a client that begins with a TLS handshake: takes its socket and returns
 * the non-blocking socket of its plaintext.  -ENOTSUP: the server reads fd
 * itself; another -errno: the server closes fd. */
typedef int http_serve_tls_fn(int fd, void *arg);

struct http_server *http_server_new(const struct http_server_config *);

/* NULL-safe.  on_gone is called for each request without an answer. */
void http_server_free(struct http_server **);

/* Binds and listens; 0 or -errno.  May be called for several addresses. */
int http_server_listen(struct http_server *,
		       const struct sockaddr_any *) MUST_CHECK;

/* As http_server_listen(), but the address may overlap that of the listening
 * socket beside (borrowed, open in this process): both may have the same port
 * if one address includes the other, as 0.0.0.0 includes 10.0.0.1.  If a
 * further socket has the port: -EADDRINUSE. */
int http_server_listen_beside(struct http_server *,
			      const struct sockaddr_any *,
			      int beside) MUST_CHECK;

/* Accepts connections of a listening socket (taken; closed on error).  0 or
 * -errno. */
int http_server_adopt(struct http_server *, int fd) MUST_CHECK;

/* Retires a listening socket of the server (-1: does nothing).  New clients
 * reach the other listening socket whose address includes that of fd.  For
 * retire_ms fd still accepts connections whose TCP handshake has begun.  Then
 * fd is closed, and copies of it in other processes do not listen any more,
 * either. */
void http_server_retire(struct http_server *, int fd);

/* Passes clients that begin with a TLS handshake to serve().  Call this before
 * the first connection. */
void http_server_set_tls(struct http_server *, http_serve_tls_fn *serve,
			 void *arg);

/* The i-th listening socket, from 0, borrowed; -1: none. */
int http_server_fd(const struct http_server *, size_t i);

struct http_answer {
	int status;
	const char *content_type; /* NULL with an empty body */
	const char *headers;      /* more lines, each with CRLF; or NULL */
	const char *cache;        /* Cache-Control; NULL: no-store */
	const void *body;         /* copied, unless it is lasting */
	size_t len;
	bool lasting;             /* the body outlives the server */
};

/* Queues the answer: it is sent from the loop, never inside this call, and
 * without a callback.  The server adds Date, Content-Length, Connection,
 * Cache-Control and "X-Content-Type-Options: nosniff", and leaves the body out
 * for HEAD. */
void http_respond(struct http_conn *, const struct http_answer *);

/* Receives the body of a request, after on_head. */
void http_continue(struct http_conn *);

/* Closes the connection without an answer and frees conn and its request. */
void http_drop(struct http_conn *);

/* The peer's address as text, without port. */
const char *http_conn_peer(const struct http_conn *);

/* The address of this machine in the connection; all zero: unknown. */
const struct ip_address *http_conn_local(const struct http_conn *);

/* True for a connection over TLS. */
bool http_conn_is_secure(const struct http_conn *);

/* Takes the socket (non-blocking) out of the server, for an upgrade, and frees
 * conn and its request.  Appends bytes that follow the request to rest.  The
 * connection counts for its address until peer_leave() on *ret_from. */
int http_conn_take_socket(struct http_conn *, struct buf *rest,
			  struct peer **ret_from) MUST_CHECK;
