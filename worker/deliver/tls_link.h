/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The way to the tls worker: a viewer's socket goes there, and what comes back
 * is where his plaintext is.
 *
 * Owns the channel; borrows the loop.  When the other end is gone, nobody is
 * handed on until the master gives a new link.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>

struct ev_loop;
struct tls_link;

/* fd (taken): one end of a SEQPACKET pair. */
struct tls_link *tls_link_new(struct ev_loop *, int fd);
/* NULL-safe; sets *l to NULL. */
void tls_link_free(struct tls_link **);

/* Is somebody at the other end?  l may be NULL. */
bool tls_link_is_up(const struct tls_link *l);

/* Takes a viewer's socket; the plaintext's, non-blocking, or -errno, and the
 * socket stays the caller's.  l may be NULL: -ENOTCONN. */
int tls_link_serve(struct tls_link *l, int fd) MUST_CHECK;
