/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Accepts viewers on a socket that the master bound.
 *
 * Owns the socket and two watchers; borrows the loop.  Without descriptors or
 * memory it pauses for a moment, and connections wait in the kernel.
 */
#pragma once

#include <ev.h>
#include <stdbool.h>
#include <sys/queue.h>

struct listener {
	LIST_ENTRY(listener) entry;
	struct ev_loop *loop;
	bool renewed;  /* the current master has added the listener */
	char *address; /* the name that the master uses */
	unsigned slot; /* index among the sockets of the address */
	bool play;     /* the listener serves the play paths, too */
	ev_io io;
	ev_timer pause;
	/* Called for a new connection; fd is non-blocking and belongs to the
	 * receiver. */
	void (*on_connection)(struct listener *, int fd, void *arg);
	/* Called when accept() has failed with err (-errno): the listener
	 * accepts no connections for a moment. */
	void (*on_pause)(struct listener *, int err, void *arg);
	void *arg;
};

struct listener_config {
	struct ev_loop *loop;
	const char *address; /* copied */
	unsigned slot;
	bool play;
	int fd;              /* listening; taken */
	void (*on_connection)(struct listener *, int fd, void *arg);
	void (*on_pause)(struct listener *, int err, void *arg);
	void *arg;
};

struct listener *listener_new(const struct listener_config *);
void listener_free(struct listener **);
