/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waits for the first byte of new connections in an epoll set of its own.
 *
 * libev relies on close() to remove a descriptor from its epoll set.  A
 * descriptor that was passed to another process stays in the set; when it
 * reports an event, libev rebuilds the whole set with one system call for each
 * descriptor.  Connections that may be passed on therefore wait here and are
 * removed explicitly.
 */
#pragma once

#include <ev.h>

struct first_byte;

/* A waiting connection, owned by the caller.  on_byte is called once, when fd
 * is readable or closed by the peer; it may free this wait and any other. */
struct first_byte_wait {
	int fd; /* borrowed */
	void (*on_byte)(struct first_byte_wait *);
};

/* Borrows the loop.  NULL with errno if no descriptor is available. */
struct first_byte *first_byte_new(struct ev_loop *);

/* Frees the set.  No wait may be registered any more. */
void first_byte_free(struct first_byte **);

/* Registers a wait.  0 or -errno. */
int first_byte_add(struct first_byte *, struct first_byte_wait *);

/* Call this before fd is closed, unless on_byte was called. */
void first_byte_remove(struct first_byte *, const struct first_byte_wait *);
