/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Passes the listening socket of the control port from one master to the next,
 * which may have another address for it.
 *
 * The HTTP server owns the sockets.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"

#include <stdint.h>

struct handover;
struct http_server;

struct control_socket {
	uint64_t number; /* number of the socket in a handover; 0: none yet */
	/* descriptor of the socket of the former address, which still accepts
	 * connections; -1: none */
	int former;
};

/* Adopts the socket in the handover (NULL: there is none) if it has this
 * address; else listens on the address, beside the former socket.  If that
 * fails, the former socket stays: *address is its address, and error has a
 * sentence, which is empty otherwise.  Returns 0, or -errno without a
 * socket. */
int control_socket_open(struct control_socket *, struct http_server *,
			struct handover *, struct sockaddr_any *address,
			struct errmsg *error) MUST_CHECK;

/* Retires the former socket, as http_server_retire(). */
void control_socket_settle(struct control_socket *, struct http_server *);

/* Adds the socket to the handover. */
void control_socket_write(struct control_socket *, const struct http_server *,
			  struct handover *);
