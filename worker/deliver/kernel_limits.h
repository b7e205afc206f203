/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel allows this process and its sockets. */
#pragma once

#include "worker/deliver/lag.h"

/* The connections that fit in the limit of descriptors beside everything
 * else. */
unsigned kernel_max_conns(void);

/* The largest buffers of a TCP socket that tunes itself; the kernel's own
 * defaults where /proc cannot be read. */
void kernel_socket_buffers(struct lag_kernel *ret);
