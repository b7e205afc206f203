/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The UDP socket of an SRT listener that is bound to an interface by name.
 *
 * The kernel binds a socket to an interface, not to a name.  When another
 * interface gets the name, a new socket replaces the socket of libsrt, and the
 * listener and its connections continue.
 *
 * Owns the watch on the interface; libsrt owns the socket.  Embedded; zeroed
 * memory is closed.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"

#include <srt/srt.h>
#include <stdbool.h>

struct netif_watch;

struct srt_place {
	bool open;
	const char *iface; /* borrowed */
	struct sockaddr_any local;
	int fd;            /* owned by libsrt */
	unsigned ifindex;
	/* NULL: the interface is checked every second */
	struct netif_watch *netif;
	struct errmsg error; /* error of the interface; "": none */
};

/* Binds libsrt's socket to the interface and the address.  Borrows iface.  0,
 * or -errno with error. */
int srt_place_open(struct srt_place *, SRTSOCKET, const char *iface,
		   const struct sockaddr_any *local,
		   struct errmsg *error) MUST_CHECK;

/* Frees the port.  Must be called before the listener is closed. */
void srt_place_close(struct srt_place *);

/* If another interface has the name now, moves the socket to it.  If that
 * fails, logs the error and notes it in `error'.  To be called once a second,
 * and when an interface has changed. */
void srt_place_follow(struct srt_place *);
