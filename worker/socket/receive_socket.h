/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A receiving socket of a udp or rtp input and its multicast membership. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"

#include <stdbool.h>
#include <stddef.h>

/* What is received. */
struct udp_place {
	char iface[16];            /* "" = the kernel's choice */
	struct sockaddr_any local; /* group or address to bind */
	bool has_source;
	struct sockaddr_any source;
	unsigned socket_size;      /* bytes; 0 = our default */
};

/* Bound and joined, non-blocking; ifindex 0 leaves the interface to the
 * kernel.  The descriptor, or -errno with why. */
int udp_socket_open(const struct udp_place *, unsigned ifindex,
		    struct errmsg *why) MUST_CHECK;

/* Does the kernel tell with each datagram when it arrived? */
void udp_socket_stamp(int fd, bool on);

/*
 * Makes the kernel report the membership again without a moment in which a
 * packet could pass by: the source filter of the socket is turned round and
 * back while `source` (who sends now; len 0 when nobody) stays admitted.
 * 0 or -errno with why.
 */
int udp_socket_renew(int fd, const struct udp_place *, unsigned ifindex,
		     const struct sockaddr_any *source,
		     struct errmsg *why) MUST_CHECK;
