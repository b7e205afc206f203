/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits the number of connections per client address.
 *
 * Connections of this host and of proxies are not limited, because many
 * clients share them.  ip_client() defines which addresses are equal.
 */
#pragma once

#include "common/base/ip_prefix.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>
#include <sys/types.h>

struct peer; /* an address with connections */
struct peers;

struct peers_config {
	unsigned max; /* connections of an address; 0: no limit */
	/* copied; connections of these addresses are not limited */
	const struct ip_prefix *proxies;
	size_t n_proxies;
};

struct peers *peers_new(const struct peers_config *);

/* Replaces the limit and the proxies, for new connections.  max 0: no limit. */
void peers_limit(struct peers *, const struct peers_config *);

/* NULL-safe; sets *p to NULL.  All connections must have left. */
void peers_free(struct peers **);

/* Does the limit apply to this address? */
bool peers_limited(const struct peers *, const struct ip_address *);

/* Counts a connection of the address.  0 with *ret, which is NULL if the limit
 * does not apply; -EUSERS: the address has max connections already. */
int peers_enter(struct peers *, const struct ip_address *,
		struct peer **ret) MUST_CHECK;

/* Adds to the bytes that the connections of the address hold, and returns their
 * sum.  A NULL peer holds 0 bytes. */
size_t peer_hold(struct peer *, ssize_t bytes);

/* Counts a connection of the peer no longer, because it has ended.  Its bytes
 * must have been subtracted by peer_hold().  NULL-safe; sets *p to NULL. */
void peer_leave(struct peer **);

/* A connection in the list of its address, which is sorted by last use.
 * Embedded; zeroed memory counts for no address. */
struct peer_place {
	TAILQ_ENTRY(peer_place) entry;
	struct peer *peer; /* NULL: not counted */
};

/* Counts a connection, also beyond max, as the last used one of its address.
 * If the address has more than max now, returns its least recently used
 * connection, which the caller ends; else NULL.  A connection to which the
 * limit does not apply is not counted. */
struct peer_place *peers_place(struct peers *, const struct ip_address *,
			       struct peer_place *);
/* Notes that the connection was used.  Does nothing if it is not counted. */
void peer_place_use(struct peer_place *);
/* Counts the connection no longer, because it has ended.  Does nothing if it is
 * not counted. */
void peer_place_leave(struct peer_place *);
