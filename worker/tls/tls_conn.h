/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One TLS connection: bytes between a client and the plaintext end of a
 * socket pair.  It does not know what they mean.
 *
 * Each side is read only as fast as the other takes it: what a connection
 * holds is one record each way and what OpenSSL needs for one.  The end of
 * each direction is passed on by itself.  In time it is bounded while the
 * client owes something: its part of the handshake, reading what waits for
 * it, its own end after ours.  How long a request may take is a matter of who
 * is at the other end of the pair, and leaves.
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

	TLS_HANDSHAKE_MS = 10000,
	TLS_STALL_MS = 30000, /* without a byte that the client takes */
	TLS_LINGER_MS = 5000, /* from our end to the client's */
};

enum tls_stage {
	TLS_SHAKING, /* hands: the handshake */
	TLS_OPEN,
	TLS_LEAVING, /* all was said; the client may still talk */
};

/* Bytes of one direction that the other side did not take at once. */
struct tls_half {
	uint8_t *data; /* NULL when nothing waits */
	size_t at;
	size_t len;
	bool eof;  /* nothing more comes */
	bool done; /* and the other side knows */
};

struct tls_conn;

struct tls_conn_events {
	/* It is another stage now. */
	void (*on_stage)(struct tls_conn *, void *arg);
	/* The end, to be freed inside; why: NULL when all went well. */
	void (*on_end)(struct tls_conn *, const char *why, void *arg);
};

/* What the connections of a server share. */
struct tls_conn_config {
	struct ev_loop *loop;
	const struct tls_conn_events *events;
	void *arg;
	uint8_t *scratch; /* TLS_RECORD_MAX bytes */
	unsigned handshake_ms;
	unsigned stall_ms;
	unsigned linger_ms;
};

struct tls_conn {
	TAILQ_ENTRY(tls_conn) link; /* the owner's */
	const struct tls_conn_config *cfg;
	SSL *ssl;
	ev_io outer; /* the client */
	ev_io inner; /* the plaintext */
	int outer_events; /* that are needed to go on */
	int inner_events;
	ev_timer deadline;
	unsigned wait_ms; /* what the deadline measures; 0: nothing */
	bool moved;       /* the client took something: it begins anew */
	enum tls_stage stage;
	struct tls_half up;   /* from the client */
	struct tls_half down; /* to the client */
	bool deaf; /* nobody takes what the client says */
};

/* Takes both descriptors, and starts in the next turn of the loop; NULL (both
 * are closed) when OpenSSL has no memory for it. */
struct tls_conn *tls_conn_new(const struct tls_conn_config *, SSL_CTX *,
			      int outer, int inner);
/* NULL-safe; sets *c to NULL.  Closes both sides as they are. */
void tls_conn_free(struct tls_conn **);
