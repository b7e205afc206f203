/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The connection of a client until its request has an answer.
 *
 * Owns its socket, the parser and two watchers; borrows the loop and the
 * events.  It ends by itself: a request without a complete head in time gets an
 * error.  After an error it waits up to two seconds for the client to close,
 * so that the client receives the error and not a reset.
 */
#pragma once

#include "common/base/buf.h"
#include "common/base/util.h"
#include "common/loop/first_byte.h"
#include "common/base/sockaddr.h"
#include "proto/wire/http_request.h"

#include <ev.h>
#include <stdbool.h>
#include <sys/queue.h>

struct viewer_conn;

struct viewer_conn_events {
	/* The head is complete and valid.  The owner calls
	 * viewer_conn_reject(), viewer_conn_answer_head() or
	 * viewer_conn_take_fd() once; it may free the connection inside. */
	void (*on_request)(struct viewer_conn *, const struct http_request *,
			   void *arg);
	/* A TLS handshake: takes the socket and returns the socket of the
	 * plaintext.  Or -errno, and the connection keeps the socket. */
	int (*on_tls)(int fd, void *arg);
	/* The connection has ended; the receiver frees it. */
	void (*on_end)(struct viewer_conn *, void *arg);
};

struct viewer_conn {
	TAILQ_ENTRY(viewer_conn) entry;
	struct ev_loop *loop;
	char *address; /* copy of the listener's address */
	const struct viewer_conn_events *events;
	void *arg;
	ev_io io;
	ev_timer deadline;
	struct http_request *request; /* NULL after the answer */
	struct buf in;
	size_t drained; /* bytes read after the answer */
	bool fresh;   /* the first byte has not arrived: waits in `first` */
	struct first_byte *first;
	struct first_byte_wait wait;
	bool secure; /* over TLS: io is the plaintext */
	struct sockaddr_any peer; /* the client; len 0: unknown */
};

struct viewer_conn_config {
	struct ev_loop *loop;
	const char *address; /* copied */
	int fd;              /* taken; non-blocking */
	/* to detect TLS, borrowed; NULL: no TLS */
	struct first_byte *first;
	unsigned head_ms;    /* limit for the head */
	const struct viewer_conn_events *events;
	void *arg;
};

struct viewer_conn *viewer_conn_new(const struct viewer_conn_config *);
void viewer_conn_free(struct viewer_conn **);

/* Answers with an error of one line and closes. */
void viewer_conn_reject(struct viewer_conn *, int status);

/* Sends the head in front of a body of TS packets that ends with the
 * connection.  0 or -errno. */
int viewer_conn_accept(struct viewer_conn *) MUST_CHECK;

/* Answers a HEAD request with the same head and closes. */
void viewer_conn_answer_head(struct viewer_conn *);

/* Passes the socket to the caller, which then calls viewer_conn_free(). */
int viewer_conn_take_fd(struct viewer_conn *);
