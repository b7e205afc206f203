/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A TLS connection: carries bytes between a client and the plaintext end of a
 * socket pair, without interpreting them.
 *
 * It reads each side only as fast as the other side accepts, so it holds at
 * most one record of the client, TLS_PLAIN_MAX bytes to the client and the
 * buffers of OpenSSL.  The records of TLS_PLAIN_MAX bytes leave in one system
 * call, because a call costs as much as the encryption of a record.  The end of
 * each direction is passed on separately.  Time limits apply while the client
 * has to act: during the handshake, while data wait for it, and until it closes
 * after the end of the plaintext.  The process at the other end of the pair
 * limits the time of a request, by closing.
 *
 * Owns both descriptors; borrows the loop, the context and the scratch memory.
 */
#pragma once

#include "common/base/util.h"

#include <ev.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

enum {
	/* most plaintext bytes of a record: RFC 8446 5.1 */
	TLS_RECORD_MAX = 16384,
	/* plaintext bytes of a record to the client: four such records fit into
	 * one segment of the kernel, and are what the deliver worker sends at
	 * once */
	TLS_RECORD_SIZE = 15360,
	/* plaintext bytes read at once: more than the deliver worker sends at
	 * once, so that a read that is not full is the last one */
	TLS_PLAIN_MAX = 4 * TLS_RECORD_SIZE + 4096,

	TLS_HANDSHAKE_MS = 10000,
	TLS_STALL_MS = 30000, /* limit while the client accepts no byte */
	/* limit until the client closes, after this process has closed */
	TLS_LINGER_MS = 5000,
	/* a viewer without bytes for this time may be replaced: longer than a
	 * player needs for a segment */
	TLS_IDLE_MS = 5000,
};

enum tls_stage {
	TLS_HANDSHAKE,
	TLS_OPEN,
	TLS_LEAVING, /* the answer is complete; the client may still send */
};

/* Bytes of one direction that the other side did not accept yet. */
struct tls_half {
	uint8_t *data; /* NULL: no bytes wait */
	size_t at;
	size_t len;
	bool eof;  /* the end of the direction was read */
	bool done; /* the end was sent to the other side */
};

/* The events (EV_READ, EV_WRITE) of both sockets that a direction waits for. */
struct tls_wants {
	int outer, inner;
};

struct gather;
struct tls_conn;

struct tls_conn_events {
	/* Called when the stage has changed. */
	void (*on_stage)(struct tls_conn *, void *arg);
	/* Called when the connection has ended; the callee frees it in this
	 * call.  error: NULL for a normal end. */
	void (*on_end)(struct tls_conn *, const char *error, void *arg);
};

/* Shared by all connections of a server. */
struct tls_conn_config {
	struct ev_loop *loop;
	const struct tls_conn_events *events;
	void *arg;
	uint8_t *scratch; /* TLS_PLAIN_MAX bytes */
	struct gather *gather; /* empty between two calls of OpenSSL */
	unsigned handshake_ms;
	unsigned stall_ms;
	unsigned linger_ms;
};

struct tls_conn {
	TAILQ_ENTRY(tls_conn) link; /* for the owner: list of a stage */
	bool viewer;                /* for the owner: the client is a viewer */
	uint64_t used_ms; /* time of the last bytes of either side */
	const struct tls_conn_config *cfg;
	SSL *ssl;
	ev_io outer; /* socket of the client */
	ev_io inner; /* plaintext end of the socket pair */
	int outer_events; /* events of outer that the present step waits for */
	int inner_events; /* events of inner that the present step waits for */
	struct tls_wants up_wants, down_wants;
	ev_timer deadline;
	unsigned wait_ms; /* time limit for which the timer runs; 0: none */
	bool moved;       /* the client accepted bytes: restart the limit */
	enum tls_stage stage;
	struct tls_half up;   /* bytes from the client */
	struct tls_half down; /* plaintext bytes to the client */
	struct tls_half sealed; /* encrypted bytes to the client */
	bool up_closed; /* further bytes of the client are dropped */
	/* The kernel encrypts for the client, and the process at the other end
	 * of the pair sends to the client itself.  The end of the plaintext
	 * then ends the connection here, without a TLS alert to the client,
	 * unless that process sent plaintext. */
	bool kernel;
	/* the process at the other end of the pair sent plaintext */
	bool spoken;
};

/* Takes both descriptors and starts in the next iteration of the loop.  kernel:
 * the kernel is to encrypt for the client, if it can.  NULL, with both closed,
 * if OpenSSL fails or a descriptor cannot be made non-blocking. */
struct tls_conn *tls_conn_new(const struct tls_conn_config *, SSL_CTX *,
			      int outer, int inner, bool kernel);
/* NULL-safe; sets *c to NULL.  Closes both sides as they are. */
void tls_conn_free(struct tls_conn **);
