/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sockets at each multicast interface of the host.  Opens sockets at new
 * interfaces and closes the sockets of removed interfaces.
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
	unsigned ifindex;           /* 0: this entry is free */
	/* first IPv4 address that is not link-local; len 0: none */
	struct sockaddr_any v4;
	/* first IPv6 address that is not link-local; len 0: none */
	struct sockaddr_any v6;
	/* networks of the addresses that are not link-local: the first
	 * IFACE_NETWORKS_MAX of each family */
	struct ip_prefix networks[2 * IFACE_NETWORKS_MAX];
	size_t n_networks;
	/* the interface was in the last list of interfaces */
	bool seen;
	int fds[IFACE_SOCKETS_MAX]; /* -1: closed */
	/* number of sockets that were opened since the start */
	unsigned opened;
};

struct iface_list {
	size_t n; /* number of sockets of each interface, at most
		   * IFACE_SOCKETS_MAX */
	/* Opens socket i of the interface.  Returns the descriptor, or -errno;
	 * the next update tries a failed socket again. */
	int (*open)(const struct iface *, size_t i);
	int error; /* -errno of the first open that failed in an update */
	struct iface ifaces[IFACES_MAX];
};

/* Prepares the list.  The caller has set n and open. */
void iface_list_init(struct iface_list *);
void iface_list_done(struct iface_list *);

/* Updates the interfaces; to be called every few seconds.  0, or -errno with
 * error: the system does not list its interfaces, no socket is open, or there
 * are more than IFACES_MAX interfaces (-ENOSPC). */
int iface_list_update(struct iface_list *, struct errmsg *error) MUST_CHECK;

/* As iface_list_update(), but with these addresses instead of getifaddrs(), and
 * this function instead of if_nametoindex(); for tests. */
int iface_list_take(struct iface_list *, const struct ifaddrs *,
		    unsigned (*index_of)(const char *name),
		    struct errmsg *error) MUST_CHECK;

/* Is the address in a network of the interface? */
bool iface_has(const struct iface *, const struct sockaddr_any *);
