/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Receives announcements: a socket for each SAP group on each interface.
 *
 * Owns the sockets.  Finds new interfaces and leaves removed ones.
 */
#pragma once

#include "worker/scan/session_table.h"

struct sap_socket;

typedef void sap_socket_fn(const struct session_packet *, void *arg);

struct sap_socket *sap_socket_new(void);
/* NULL-safe; sets *e to NULL. */
void sap_socket_free(struct sap_socket **);

/* Call it regularly: reads the list of interfaces.  0, or -errno with error if
 * no socket is open. */
int sap_socket_update(struct sap_socket *, struct errmsg *error) MUST_CHECK;

/* Passes packets to fn, a limited number of each socket.  A flood overflows
 * only its own socket. */
void sap_socket_read(struct sap_socket *, sap_socket_fn *, void *arg);
