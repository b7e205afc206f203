/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The receiving socket of a udp or rtp input, and its multicast membership. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"

#include <stdbool.h>
#include <stddef.h>

/* Where datagrams are received. */
struct udp_place {
	char iface[16];            /* name; "": the kernel chooses */
	struct sockaddr_any local; /* group or address to bind */
	bool has_source;
	struct sockaddr_any source;
	/* bytes of the buffer; 0: UDP_RECEIVE_BUFFER */
	unsigned socket_size;
};

/* Opens and binds a non-blocking socket, and joins its group if the address is
 * multicast; ifindex 0: the kernel chooses.  The descriptor, or -errno with
 * error. */
int udp_socket_open(const struct udp_place *, unsigned ifindex,
		    struct errmsg *error) MUST_CHECK;

/* Is the buffer of the socket at least UDP_RECEIVE_BUFFER?  Such a buffer holds
 * more than 200 ms at 60 Mbit/s.  A kernel with a small net.core.rmem_max gives
 * less than requested. */
bool udp_socket_is_large(int fd);

/* Switches the kernel's time stamps for received datagrams on or off. */
void udp_socket_stamp(int fd, bool on);

/*
 * Makes the kernel report the membership again without losing a packet:
 * inverts the source filter of the socket for a moment, while the source of
 * the place, or else `source` (the current sender), stays admitted.  With
 * neither (source->len 0) leaves the group and joins it again.  0, or -errno
 * with error.
 */
int udp_socket_renew(int fd, const struct udp_place *, unsigned ifindex,
		     const struct sockaddr_any *source,
		     struct errmsg *error) MUST_CHECK;
