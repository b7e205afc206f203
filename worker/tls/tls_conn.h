/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A TLS connection: carries bytes between a client and the plaintext end of a
 * socket pair, without interpreting them.
 *
 * It reads each side only as fast as the other side accepts, so it holds at
 * most one record of the client, TLS_PLAIN_MAX bytes to the client and the
 * buffers of OpenSSL.  The records of so many bytes leave in one call, because
 * a call costs as much as the cipher of a record.  The end of
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
	/* the plaintext of a record: RFC 8446 5.1 */
	TLS_RECORD_MAX = 16384,
	/* ... of a record that we send: four of them fit into one segment of
	 * the kernel, and are what deliver sends at once */
	TLS_RECORD_SIZE = 15360,
	/* read at once: more than that, so that a read that is not full is the
	 * last one */
	TLS_PLAIN_MAX = 4 * TLS_RECORD_SIZE + 4096,

	TLS_HANDSHAKE_MS = 10000,
	TLS_STALL_MS = 30000, /* while the client accepts no byte */
	TLS_LINGER_MS = 5000, /* until the client closes, after our close */
	TLS_IDLE_MS = 5000, /* longer than a player needs for a segment */
};

enum tls_stage {
	TLS_HANDSHAKE,
	TLS_OPEN,
	TLS_LEAVING, /* the answer is complete; the client may still send */
};

/* Bytes of one direction that the other side did not accept yet. */
struct tls_half {
	uint8_t *data; /* NULL: none */
	size_t at;
	size_t len;
	bool eof;  /* the end of the direction was read ... */
	bool done; /* ... and sent to the other side */
};

/* The events that a direction waits for. */
struct tls_wants {
	int outer, inner;
};

struct gather;
struct tls_conn;

struct tls_conn_events {
	/* The stage changed. */
	void (*on_stage)(struct tls_conn *, void *arg);
	/* The connection has ended; the receiver frees it in this call.  error:
	 * NULL for a normal end. */
	void (*on_end)(struct tls_conn *, const char *error, void *arg);
};

/* Shared by all connections of a server. */
struct tls_conn_config {
	struct ev_loop *loop;
	const struct tls_conn_events *events;
	void *arg;
	uint8_t *scratch; /* TLS_PLAIN_MAX bytes */
	struct gather *gather; /* empty between two calls */
	unsigned handshake_ms;
	unsigned stall_ms;
	unsigned linger_ms;
};

struct tls_conn {
	TAILQ_ENTRY(tls_conn) link; /* for the owner */
	bool viewer;                /* for the owner */
	uint64_t used_ms; /* time of the last bytes of either side */
	const struct tls_conn_config *cfg;
	SSL *ssl;
	ev_io outer; /* the client */
	ev_io inner; /* the plaintext */
	int outer_events; /* events of the client needed to continue ... */
	int inner_events; /* ... and of the plaintext, in this step */
	struct tls_wants up_wants, down_wants;
	ev_timer deadline;
	unsigned wait_ms; /* current limit; 0: none */
	bool moved;       /* the client accepted bytes: restart the limit */
	enum tls_stage stage;
	struct tls_half up;   /* from the client */
	struct tls_half down; /* to the client */
	struct tls_half sealed; /* to the client, encrypted */
	bool up_closed; /* further bytes of the client are dropped */
	/* The kernel encrypts what is sent to the client, and the process at
	 * the other end of the pair sends there itself: the end of the
	 * plaintext ends the connection here, without a word to the client,
	 * unless that process sent plaintext. */
	bool kernel;
	bool spoken;
};

/* Takes both descriptors and starts in the next turn of the loop.  kernel: the
 * kernel is to encrypt for the client, if it can.  NULL, with both closed, if
 * OpenSSL fails or a descriptor cannot be made non-blocking. */
struct tls_conn *tls_conn_new(const struct tls_conn_config *, SSL_CTX *,
			      int outer, int inner, bool kernel);
/* NULL-safe; sets *c to NULL.  Closes both sides as they are. */
void tls_conn_free(struct tls_conn **);
