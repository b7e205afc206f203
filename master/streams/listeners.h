/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The listening sockets of viewers.
 *
 * The master keeps them open, so that viewers can connect while deliver is
 * replaced.  A port in use is retried, soon at first, because deliver may still
 * hold a socket that was just closed, then every two seconds.  The owner gets
 * an error if the port stays in use.
 *
 * Several deliver workers share an address by SO_REUSEPORT: each has a socket
 * with this address, and the kernel divides the viewers among the sockets.  All
 * sockets stay open while the address is in use, because the kernel resets the
 * connections that wait in a socket when it is closed.  A socket whose worker
 * has ended is given to another worker until a successor runs.
 *
 * Owns the sockets; borrows the loop and the events.
 */
#pragma once

#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "proto/ipc/msg_deliver.h"

#include <stdbool.h>

struct ev_loop;
struct handover;
struct listener;
struct listeners;

enum {
	LISTEN_BACKLOG = 4096,
	/* first pause before another attempt to open a listener; each further
	 * pause is twice as long, up to LISTEN_RETRY_MAX_MS */
	LISTEN_RETRY_MIN_MS = 50,
	LISTEN_RETRY_MAX_MS = 2000,
	LISTEN_QUIET = 3, /* failed attempts that on_error does not report */
	LISTEN_CHECK_MS = 2000, /* interval of the check that the address of
				 * an open socket still exists */
};

struct listeners_events {
	/* A listener is open: listeners_take() returns its sockets. */
	void (*on_open)(void *arg);
	/* error: the listener cannot be opened, or its address has left the
	 * host.  NULL: the error has ended. */
	void (*on_error)(const struct listener *, const char *error, void *arg);
	/* The last user of a listener has left, but this worker still has one
	 * of its sockets (slot: index of the socket), and must close it.  The
	 * master closes its own descriptor after the call. */
	void (*on_close)(struct listener *, unsigned slot, unsigned worker,
			 void *arg);
};

/* n_workers: number of workers that share each address, at most
 * MSG_DELIVER_MAX. */
struct listeners *listeners_new(struct ev_loop *,
				const struct listeners_events *,
				unsigned n_workers, void *arg);
/* All listeners must be unused. */
void listeners_free(struct listeners **);

/* Adds every open socket to the handover. */
void listeners_write(struct listeners *, struct handover *);
/* Adopts the sockets of the previous master.  A new listener with the same
 * address uses them.  listeners_close_unused() first opens the listeners whose
 * port an unused socket occupies, and then closes the unused sockets. */
void listeners_adopt(struct listeners *, struct handover *);
void listeners_close_unused(struct listeners *);

/* Adds a user of the listener with this address.  The first user opens it, and
 * on_open may be called inside.  play: the listener also serves the play paths;
 * this user must be the first one. */
struct listener *listener_get(struct listeners *, const struct sockaddr_any *,
			      bool play);
bool listener_is_play(const struct listener *);
/* Removes a user; the last one closes the listener.  NULL-safe; sets *l to
 * NULL. */
void listener_put(struct listener **);

/* --- sockets and workers --- */

/* serves: the workers that accept viewers, by number.  Distributes the sockets
 * among them. */
void listeners_share(struct listeners *, const bool serves[MSG_DELIVER_MAX]);

struct listener_socket {
	const struct listener *listener;
	unsigned slot;
	int fd; /* borrowed */
	int from; /* number of the worker that had the socket; -1: none */
};

/* Returns in ret the next socket that must be sent to this worker; false: there
 * is none. */
bool listeners_take(struct listeners *, unsigned worker,
		    struct listener_socket *ret);
/* The worker was replaced: it has no socket any more. */
void listeners_untake(struct listeners *, unsigned worker);

/* Returns the address as text, such as "0.0.0.0:8100". */
const char *listener_address(const struct listener *);
/* Returns why viewers cannot connect; NULL: they can. */
const char *listener_error(const struct listener *);
