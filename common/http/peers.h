/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many connections each address has, and no more than it may.
 *
 * Who comes from this host is not bounded, nor is a proxy: many clients stand
 * behind both.  Addresses are told apart by ip_client().
 */
#pragma once

#include "common/base/ip_prefix.h"
#include "common/base/util.h"

#include <stddef.h>

struct peer; /* an address with connections */
struct peers;

struct peers_config {
	unsigned max;                    /* connections of an address; > 0 */
	const struct ip_prefix *proxies; /* copied */
	size_t n_proxies;
};

struct peers *peers_new(const struct peers_config *);
/* Everybody has left.  NULL-safe; sets *p to NULL. */
void peers_free(struct peers **);

/* One more connection.  0 with *ret, which is NULL for one that is not
 * counted; or -EUSERS. */
int peers_enter(struct peers *, const struct ip_address *,
		struct peer **ret) MUST_CHECK;

/* One of its connections is over.  NULL-safe; sets *p to NULL. */
void peer_leave(struct peer **);
