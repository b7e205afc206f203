/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sending socket of a udp or rtp output. */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/io_spec.h"

#include <stdbool.h>

/* Connected, non-blocking; the descriptor, or -errno with why. */
int udp_output_socket(const struct output_spec *, struct errmsg *why)
	MUST_CHECK;

/* Has the kernel cut what is sent into datagrams of so many bytes (0: no
 * more); 0 or -errno. */
int udp_output_segment(int fd, int bytes);

/* Has the kernel wait with each datagram for the time that comes with it
 * (SCM_TXTIME, CLOCK_MONOTONIC); 0 or -errno. */
int udp_output_timed(int fd);

/* Do they send from the same address?  Whatever the ports. */
bool udp_output_same_source(int fd, int other);
