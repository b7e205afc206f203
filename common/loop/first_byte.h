/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waits for the first byte of new connections, outside of the loop's own
 * epoll set.
 *
 * libev takes a descriptor out of its set by its being closed.  One that lives
 * on in another process stays in, and the loop that meets it there throws the
 * whole set away and builds it anew: a system call for each descriptor it
 * waits for.  So those that may be given away wait here, and leave by name.
 */
#pragma once

#include <ev.h>

struct first_byte;

/* One connection; the caller's.  on_byte is called once, when fd can be read
 * or has ended; it may free the wait, and anything else that waits. */
struct first_byte_wait {
	int fd; /* borrowed */
	void (*on_byte)(struct first_byte_wait *);
};

/* Borrows the loop.  NULL with errno: no descriptor was to be had. */
struct first_byte *first_byte_new(struct ev_loop *);

/* Nothing may wait any more. */
void first_byte_free(struct first_byte **);

/* 0 or -errno. */
int first_byte_add(struct first_byte *, struct first_byte_wait *);

/* Before its fd is closed, unless on_byte was called. */
void first_byte_remove(struct first_byte *, const struct first_byte_wait *);
