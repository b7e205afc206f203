/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A TCP connection that carries Simulcrypt messages.  A read may return a part
 * of a message, or several messages.
 *
 * The connection ends if the parameters of a message have not the length that
 * its head announces, or if the peer does not read.  Owns the descriptor;
 * borrows the loop.
 */
#pragma once

#include "worker/cas/simulcrypt.h"

struct ev_loop;
struct simulcrypt_conn;

struct simulcrypt_conn_config {
	struct ev_loop *loop;
	int fd; /* descriptor of the connection, non-blocking; owned */
	/* Takes a message.  False: the owner has freed the connection, or wants
	 * no more messages from it. */
	bool (*on_message)(const struct simulcrypt *, void *arg);
	/* The last callback.  The owner may free the connection in it. */
	void (*on_closed)(const char *error, void *arg);
	void *arg;
};

struct simulcrypt_conn *
simulcrypt_conn_new(const struct simulcrypt_conn_config *);
/* Frees the connection.  The kernel still sends the messages that were passed
 * to it before.  NULL-safe. */
void simulcrypt_conn_free(struct simulcrypt_conn **);

/* Sends a whole message.  Calls no callback before it returns. */
void simulcrypt_conn_send(struct simulcrypt_conn *, const uint8_t *message,
			  size_t len);
