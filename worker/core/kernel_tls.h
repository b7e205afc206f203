/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TLS of the kernel: after the handshake of the tls worker the kernel encrypts
 * what this process sends, so a viewer gets references to the pages of the ring
 * instead of copies that travel through the tls worker.
 *
 * The kernel needs its module tls, which only an administrator can load.
 */
#pragma once

#include <stdbool.h>

/* Has the kernel the module?  Opens a socket: call it before the sandbox. */
bool kernel_tls_exists(void);

/* Does the kernel encrypt what is sent to this TCP socket?  It does so from the
 * handshake until the socket is closed, whatever the tls worker does. */
bool kernel_tls_sends(int fd);

/* Ends the sending direction of such a socket, with the alert close_notify (RFC
 * 8446 6.1) in front, if the socket accepts it now. */
void kernel_tls_end(int fd);
