/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sockets at each interface of the host that has multicast: opens them at new
 * interfaces and closes those of removed ones.
 *
 * Embedded.  Owns the sockets.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/ip_prefix.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"

#include <ifaddrs.h>
#include <stdbool.h>
#include <stddef.h>

enum { IFACES_MAX = 16, IFACE_SOCKETS_MAX = 8, IFACE_NETWORKS_MAX = 16 };

struct iface {
	char name[16];
	unsigned ifindex;           /* 0: free */
	struct sockaddr_any v4;     /* its first address; len 0: none */
	struct sockaddr_any v6;     /* the same, beside link-local ones */
	/* the networks of its first addresses of each family, without the
	 * link-local ones */
	struct ip_prefix networks[2 * IFACE_NETWORKS_MAX];
	size_t n_networks;
	bool seen;                  /* in the last list of interfaces */
	int fds[IFACE_SOCKETS_MAX]; /* -1: closed */
	unsigned opened;            /* counts sockets that opened */
};

struct iface_list {
	size_t n; /* sockets of each interface */
	/* Opens socket i of the interface: its descriptor, or -errno.  A
	 * socket that cannot be opened is opened at a later update. */
	int (*open)(const struct iface *, size_t i);
	int error; /* -errno of the first open that failed in an update */
	struct iface ifaces[IFACES_MAX];
};

/* Prepares the list.  The caller sets n and open before. */
void iface_list_init(struct iface_list *);
void iface_list_done(struct iface_list *);

/* Call it every few seconds.  0, or -errno with error: the system does not list
 * its interfaces, no socket is open, or an interface has no place (-ENOSPC). */
int iface_list_update(struct iface_list *, struct errmsg *error) MUST_CHECK;

/* As iface_list_update(), with the addresses of getifaddrs() and the indexes of
 * if_nametoindex(): for tests. */
int iface_list_take(struct iface_list *, const struct ifaddrs *,
		    unsigned (*index_of)(const char *name),
		    struct errmsg *error) MUST_CHECK;

/* Is the address in a network of the interface? */
bool iface_has(const struct iface *, const struct sockaddr_any *);
