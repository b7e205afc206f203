/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A TCP connection that carries Simulcrypt messages.  They may come in pieces,
 * and several at once.
 *
 * A message whose parameters do not fill it, and a peer that does not read, end
 * it.  Owns the descriptor; borrows the loop.
 */
#pragma once

#include "worker/cas/simulcrypt.h"

struct ev_loop;
struct simulcrypt_conn;

struct simulcrypt_conn_config {
	struct ev_loop *loop;
	int fd; /* taken: connected, does not block */
	/* False: the connection was freed, or is not to be read any more. */
	bool (*on_message)(const struct simulcrypt *, void *arg);
	/* The last call of all.  The connection may be freed inside. */
	void (*on_closed)(const char *error, void *arg);
	void *arg;
};

struct simulcrypt_conn *
simulcrypt_conn_new(const struct simulcrypt_conn_config *);
/* Frees the connection.  Messages that were sent before still leave if the peer
 * reads.  NULL-safe. */
void simulcrypt_conn_free(struct simulcrypt_conn **);

/* Sends a whole message.  Calls no callback. */
void simulcrypt_conn_send(struct simulcrypt_conn *, const uint8_t *message,
			  size_t len);
