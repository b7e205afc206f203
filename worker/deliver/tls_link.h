/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The channel to the tls worker: passes the socket of a viewer there and gets
 * the socket of the plaintext.
 *
 * Owns the channel; borrows the loop.  After the end of the channel no viewer
 * is passed on until the master sends a new channel.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>

struct ev_loop;
struct tls_link;

/* fd (taken): one end of a SEQPACKET pair.  waiting_max: most sockets that wait
 * for the tls worker, each with two descriptors. */
struct tls_link *tls_link_new(struct ev_loop *, int fd, unsigned waiting_max);
/* NULL-safe; sets *l to NULL. */
void tls_link_free(struct tls_link **);

/* True if the channel is open.  l may be NULL. */
bool tls_link_is_up(const struct tls_link *l);

/* Passes a copy of the socket of a viewer to the tls worker.  Returns the
 * socket of the plaintext, non-blocking, or -errno.  l may be NULL:
 * -ENOTCONN. */
int tls_link_serve(struct tls_link *l, int fd) MUST_CHECK;
