/* SPDX-License-Identifier: GPL-3.0-or-later */
/* File descriptors: opened close-on-exec, closed once. */
#pragma once

#include "common/base/buf.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Closes *fd when it is open (>= 0) and sets it to -1. */
void fd_close(int *fd);

/* Puts /dev/null in the place of each of descriptors 0 to 2 that is closed, so
 * that nothing else is ever opened there.  0 or -errno. */
int fd_hold_stdio(void) MUST_CHECK;

/* All of the file, appended; -EFBIG when that is more than max bytes in the
 * buffer, or -errno. */
int fd_read_all(int fd, size_t max, struct buf *to) MUST_CHECK;

/* All len bytes; 0 or -errno. */
int fd_write_all(int fd, const void *data, size_t len) MUST_CHECK;

/* 0 or -errno. */
int fd_set_nonblock(int fd) MUST_CHECK;

/* Reads what a socket has, up to max bytes, and forgets it, without waiting.
 * How much that was, 0 at its end, or -errno. */
ssize_t fd_discard(int fd, size_t max);

/* Is the next byte that can be read from a socket the first of a TLS
 * handshake?  It stays there. */
bool fd_begins_tls(int fd);

/* A SOCK_STREAM pair between two processes, both ends close-on-exec and
 * non-blocking; buffer: bytes that may wait each way, about. */
int fd_stream_pair(int ret_fds[2], int buffer) MUST_CHECK;

/* A SOCK_SEQPACKET pair, both ends close-on-exec and non-blocking. */
int fd_seqpacket_pair(int ret_fds[2]) MUST_CHECK;

/* One end of such a pair? */
bool fd_is_seqpacket(int fd);

/* A second, read-only descriptor of the same file (for memfds); or -errno. */
int fd_reopen_readonly(int fd) MUST_CHECK;
