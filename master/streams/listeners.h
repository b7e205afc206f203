/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sockets on which viewers connect.
 *
 * The master binds and keeps them, so that a connect is never refused while
 * deliver is replaced: the backlog holds it.  A port in use is named and tried
 * again, soon at first (deliver may still hold the one that was just given up),
 * then every two seconds; its owner is told when it does not go away.
 *
 * Owns the sockets; borrows the loop and the events.
 */
#pragma once

#include "common/base/sockaddr.h"
#include "common/base/util.h"

struct ev_loop;
struct handover;
struct listener;
struct listeners;

enum {
	LISTEN_BACKLOG = 4096,
	LISTEN_RETRY_MIN_MS = 50, /* doubling */
	LISTEN_RETRY_MAX_MS = 2000,
	LISTEN_QUIET = 3, /* failures before it is logged */
	LISTEN_LOOK_MS = 2000, /* how often the address of an open one is
				* looked for */
};

struct listeners_events {
	/* Viewers can connect from now on: there is one to take. */
	void (*on_open)(void *arg);
	/* It cannot be opened, or nobody gets there any more since the machine
	 * has lost its address, and that is worth a line of the log: why;
	 * NULL: it could after all, or somebody does. */
	void (*on_trouble)(const struct listener *, const char *why, void *arg);
	/* The last user of one that was taken is gone; the socket is closed
	 * after the call. */
	void (*on_close)(struct listener *, void *arg);
};

struct listeners *listeners_new(struct ev_loop *,
				const struct listeners_events *, void *arg);
/* No listener may be in use any more. */
void listeners_free(struct listeners **);

/* Notes every open socket. */
void listeners_write(struct listeners *, struct handover *);
/* Takes up the sockets of a master before us: they are found by their address
 * when a listener is opened, or closed in the end. */
void listeners_adopt(struct listeners *, struct handover *);
void listeners_close_unused(struct listeners *);

/* One more user of the listener of that address; it is opened for the first
 * (on_open may come inside). */
struct listener *listener_get(struct listeners *, const struct sockaddr_any *);
/* NULL-safe; sets *l to NULL. */
void listener_put(struct listener **);

/* An open listener that nobody has taken since it was opened, or since
 * listeners_untake(); NULL when there is none. */
struct listener *listeners_take(struct listeners *);
/* All can be taken again: whoever took them is gone. */
void listeners_untake(struct listeners *);

/* "0.0.0.0:8100" */
const char *listener_address(const struct listener *);
/* The socket, or -1 while it cannot be opened. */
int listener_fd(const struct listener *);
/* Why it cannot be opened, or nobody gets there, or NULL. */
const char *listener_error(const struct listener *);
