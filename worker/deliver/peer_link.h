/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds out whether bytes of a connection leave this host.
 *
 * The receive queue of a process of this host, also of a container, refers to
 * the pages that were sent, long after it has acknowledged them and even after
 * a reset.  A device, such as a network card, copies them.
 *
 * Embedded; zeroed memory is empty.  Keeps what is known of each interface,
 * because a system call about an interface may block while the network changes.
 */
#pragma once

#include <net/if.h>
#include <stdbool.h>

enum { PEER_LINKS_MAX = 32 };

struct peer_links {
	struct peer_link {
		int index; /* index of the interface; 0: entry unused */
		char name[IFNAMSIZ];
		bool is_device;
	} list[PEER_LINKS_MAX];
	unsigned next; /* the entry of the list that is replaced next */
};

/* Did the TCP connection come by an interface that is a device?  False also if
 * that cannot be found out, and for bridges, bonds and VLANs, which may lead to
 * a container. */
bool peer_link_is_device(struct peer_links *, int fd);
