/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions for file descriptors.  All descriptors that they make are
 * close-on-exec, except those of fd_hold_stdio(). */
#pragma once

#include "common/base/buf.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct stat;

/* Closes *fd if it is open (>= 0) and sets it to -1. */
void fd_close(int *fd);

/* Opens /dev/null on each closed descriptor of 0 to 2, so that no other file
 * gets their numbers.  0 or -errno. */
int fd_hold_stdio(void) MUST_CHECK;

/* Reads fd to the end of the file and appends the bytes to the buffer; 0,
 * -EFBIG once the buffer has more than max bytes, or -errno.  After an error
 * the buffer keeps what was read. */
int fd_read_all(int fd, size_t max, struct buf *to) MUST_CHECK;

/* Writes all len bytes; 0 or -errno. */
int fd_write_all(int fd, const void *data, size_t len) MUST_CHECK;

/* 0 or -errno. */
int fd_set_nonblock(int fd) MUST_CHECK;

/* Sets a socket option whose value is an int; 0 or -errno. */
int fd_set_option(int fd, int level, int option, int value);

/* Reads up to max bytes from a socket without waiting and drops them.  Returns
 * their number, 0 at the end, or -errno: -EAGAIN if no bytes wait. */
ssize_t fd_discard(int fd, size_t max);

/* Peeks whether a TLS handshake begins at the next byte of a socket.  False
 * also if no byte waits. */
bool fd_begins_tls(int fd);

/* Makes a SOCK_STREAM pair between two processes, both ends close-on-exec and
 * non-blocking; buffer: about how many bytes may wait each way.  0 or
 * -errno. */
int fd_stream_pair(int ret_fds[2], int buffer) MUST_CHECK;

/* Makes a SOCK_SEQPACKET pair, both ends close-on-exec and non-blocking.  0 or
 * -errno. */
int fd_seqpacket_pair(int ret_fds[2]) MUST_CHECK;

/* Is fd a SOCK_SEQPACKET socket? */
bool fd_is_seqpacket(int fd);

/* Do both results of stat() describe the same file? */
bool fd_same_file(const struct stat *, const struct stat *);

/* Opens the file of fd (a memfd) a second time, for reading only.  Returns the
 * new descriptor or -errno. */
int fd_reopen_readonly(int fd) MUST_CHECK;
