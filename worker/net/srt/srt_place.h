/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The UDP socket below a listener of libsrt on an interface that is named.
 *
 * The kernel binds to an interface that is there, not to a name.  When another
 * one of that name, or with that address, comes in its place, a socket on this
 * one takes the place of the library's: the listener and its connections go on
 * with it.
 *
 * Owns what watches the interface; the socket is the library's.  Embedded;
 * zeroed memory is a place that is not open.
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
	int fd;            /* the library's */
	unsigned ifindex;
	struct netif_watch *netif; /* NULL: it is looked at every second */
	struct errmsg trouble; /* of the interface; "" when it is well */
};

/* Binds the library's socket; the interface is borrowed.  0, or -errno with
 * why. */
int srt_place_open(struct srt_place *, SRTSOCKET, const char *iface,
		   const struct sockaddr_any *local,
		   struct errmsg *error) MUST_CHECK;

/* The port is free for the next one.  Before the listener is closed, while the
 * library still has its socket. */
void srt_place_close(struct srt_place *);

/* Once a second, or when something became of interfaces. */
void srt_place_follow(struct srt_place *);
