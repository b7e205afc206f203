/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The connections that speak TLS, and the certificate they are shown.
 *
 * A new certificate is for new connections; those that are there go on as
 * they began.  Above its bound a connection that is leaving, or else the one
 * whose handshake takes longest, makes room for a new one.
 *
 * Owns the connections, the context with the private key and the ticket keys;
 * borrows the loop.
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
	/* 0: as worker/tls/tls_conn.h says */
	unsigned handshake_ms;
	unsigned stall_ms;
	unsigned linger_ms;
};

struct tls_server *tls_server_new(const struct tls_server_config *);
/* NULL-safe; closes everything; sets *s to NULL. */
void tls_server_free(struct tls_server **);

/* Judges a chain and its key (open files, borrowed); with use they are the
 * server's from now on when they are good, and the old ones when they are not.
 * 0, or -EINVAL with the fault. */
int tls_server_certificate(struct tls_server *, bool use, int chain_fd,
			   int key_fd,
			   struct credentials_error *ret) MUST_CHECK;

/* Whose client it is.  Viewers leave a fourth of the places to the others. */
enum tls_client { TLS_CONTROL, TLS_VIEWER };

/* Takes both descriptors.  Without a certificate they are closed. */
void tls_server_take(struct tls_server *, enum tls_client, int outer,
		     int inner);

/* The certificate in use, borrowed, or NULL. */
const SSL_CTX *tls_server_context(const struct tls_server *);

struct msg_tls_status tls_server_status(const struct tls_server *);
