/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sending socket of a udp or rtp output. */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/io_spec.h"

#include <stdbool.h>

/* Opens a connected, non-blocking socket; the descriptor, or -errno with
 * error. */
int udp_output_socket(const struct output_spec *, struct errmsg *error)
	MUST_CHECK;

/* Makes the kernel cut each message into datagrams of this many bytes (0: no
 * cutting); 0 or -errno. */
int udp_output_segment(int fd, int bytes);

/* Makes the kernel send each datagram at the time given with it (SCM_TXTIME,
 * CLOCK_MONOTONIC); 0 or -errno. */
int udp_output_timed(int fd);

/* Do both sockets send from the same address?  Ports are not compared. */
bool udp_output_same_source(int fd, int other);
