/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Owns all TLS connections and their certificate.
 *
 * A new certificate applies to new connections.  Above the limit a new
 * connection replaces the oldest connection of the same enum tls_client in the
 * stage TLS_LEAVING, or otherwise in the stage TLS_HANDSHAKE, or otherwise such
 * a connection of the other enum tls_client, or otherwise the viewer without
 * bytes for longest, if for some seconds.  A viewer does not replace a control
 * client while control clients have at most a quarter of the connections.
 *
 * Also owns the context with the private key, and the ticket keys; borrows the
 * loop.
 */
#pragma once

#include "common/base/util.h"
#include "proto/ipc/msg.h"
#include "worker/tls/credentials.h"

#include <stdbool.h>
#include <time.h>

struct ev_loop;
struct tls_server;

struct tls_server_config {
	struct ev_loop *loop;
	unsigned connections_max;
	bool kernel; /* the kernel has TLS: it encrypts for viewers */
	/* 0: the defaults of worker/tls/tls_conn.h */
	unsigned handshake_ms;
	unsigned stall_ms;
	unsigned linger_ms;
	/* a viewer without bytes for this time may be replaced by a new
	 * client */
	unsigned idle_ms;
};

struct tls_server *tls_server_new(const struct tls_server_config *);
/* NULL-safe; closes everything; sets *s to NULL. */
void tls_server_free(struct tls_server **);

/* Checks a chain and its key (open files, borrowed) and, with use, uses them
 * for new connections.  0, or -EINVAL with the error and no change. */
int tls_server_certificate(struct tls_server *, bool use, int chain_fd,
			   int key_fd,
			   struct credentials_error *ret) MUST_CHECK;

/* Viewers may use three quarters of the connections. */
enum tls_client { TLS_CONTROL, TLS_VIEWER };

/* Takes the socket of a client and the plaintext end of a pair.  Closes both
 * without a certificate, if the limit is reached and no connection can be
 * replaced, or if OpenSSL fails. */
void tls_server_take(struct tls_server *, enum tls_client, int outer,
		     int inner);

/* The context with the certificate in use, borrowed; NULL: none is in use. */
const SSL_CTX *tls_server_context(const struct tls_server *);

struct msg_tls_status tls_server_status(const struct tls_server *);
