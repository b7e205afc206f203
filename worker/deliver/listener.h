/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Accepts viewers on a socket that the master bound.
 *
 * Owns the socket and two watchers; borrows the loop.  When the process or
 * the system has no descriptor left it rests for a moment: the connections
 * wait in the kernel's queue, and nothing spins.
 */
#pragma once

#include <ev.h>
#include <stdbool.h>
#include <sys/queue.h>

struct listener {
	LIST_ENTRY(listener) entry;
	struct ev_loop *loop;
	bool named;    /* since the last renewal began */
	char *address; /* names it towards the master */
	ev_io io;
	ev_timer rest;
	/* fd is non-blocking and belongs to the receiver */
	void (*on_connection)(struct listener *, int fd, void *arg);
	/* nobody can be accepted for a moment; err is -errno */
	void (*on_shortage)(struct listener *, int err, void *arg);
	void *arg;
};

struct listener_config {
	struct ev_loop *loop;
	const char *address; /* copied */
	int fd;              /* listening; taken */
	void (*on_connection)(struct listener *, int fd, void *arg);
	void (*on_shortage)(struct listener *, int err, void *arg);
	void *arg;
};

struct listener *listener_new(const struct listener_config *);
void listener_free(struct listener **);
