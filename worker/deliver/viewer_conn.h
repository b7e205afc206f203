/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A connection until its request is answered.
 *
 * Owns its socket, the parser and two watchers; borrows the loop and the
 * events.  It ends by itself: a head that does not come in time is
 * refused, and a refused peer is listened to only until it has hung up, two
 * seconds at most, so that it reads the refusal and not a reset.
 */
#pragma once

#include "common/base/buf.h"
#include "common/loop/first_byte.h"
#include "common/base/sockaddr.h"
#include "proto/wire/http_request.h"

#include <ev.h>
#include <stdbool.h>
#include <sys/queue.h>

struct conn;

struct conn_events {
	/* The head is whole and sound.  The owner calls conn_refuse(),
	 * conn_finish() or conn_take_fd(), once; it may free c inside. */
	void (*on_request)(struct conn *, const struct http_request *,
			   void *arg);
	/* It begins with a TLS handshake: takes its socket and says where the
	 * plaintext is, or -errno, and the socket stays the connection's. */
	int (*on_tls)(int fd, void *arg);
	/* It is over: free it. */
	void (*on_end)(struct conn *, void *arg);
};

struct conn {
	TAILQ_ENTRY(conn) entry;
	struct ev_loop *loop;
	char *address; /* of the listener, which may go first */
	const struct conn_events *events;
	void *arg;
	ev_io io;
	ev_timer deadline;
	struct http_request *request; /* NULL once it is answered */
	struct buf in;
	size_t heard; /* bytes read after the answer */
	bool fresh;   /* waits for its first byte, in first */
	struct first_byte *first;
	struct first_byte_wait wait;
	/* over TLS, io is its plaintext, and this is who it is from */
	bool secure;
	struct sockaddr_any peer;
};

struct conn_config {
	struct ev_loop *loop;
	const char *address; /* copied */
	int fd;              /* taken; non-blocking */
	/* it may begin with TLS: on_tls(); or NULL.  Borrowed */
	struct first_byte *first;
	unsigned head_ms;    /* for the whole head to come */
	const struct conn_events *events;
	void *arg;
};

struct conn *conn_new(const struct conn_config *);
void conn_free(struct conn **);

/* Answers with a refusal and hangs up. */
void conn_refuse(struct conn *, unsigned status);

/* Answers with this text and hangs up. */
void conn_finish(struct conn *, const char *text, size_t len);

/* Gives the socket away; what is left is for conn_free(). */
int conn_take_fd(struct conn *);
