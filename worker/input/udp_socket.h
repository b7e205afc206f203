/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The receiving socket of a udp or rtp input and its multicast membership. */
#pragma once

#include "common/errmsg.h"
#include "common/sockaddr.h"
#include "proto/io_spec.h"

#include <stddef.h>

enum { UDP_RECEIVE_BUFFER = 2 * 1024 * 1024 };

/* Bound and joined, non-blocking; ifindex 0 leaves the interface to the
 * kernel.  The descriptor, or -errno with why. */
int udp_socket_open(const struct input_spec *, unsigned ifindex,
		    struct errmsg *why) MUST_CHECK;

/*
 * Makes the kernel report the membership again without a moment in which a
 * packet could pass by: the source filter of the socket is turned round and
 * back while `source` (who sends now; len 0 when nobody) stays admitted.
 * 0 or -errno with why.
 */
int udp_socket_renew(int fd, const struct input_spec *, unsigned ifindex,
		     const struct sockaddr_any *source,
		     struct errmsg *why) MUST_CHECK;
