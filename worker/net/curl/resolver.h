/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Resolves a host name without blocking, with c-ares.
 *
 * The caller polls it at each tick of the data path.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"

struct resolver;

/* Starts to resolve a host.  A literal address needs no query and is ready at
 * once.  Never NULL. */
struct resolver *resolver_new(const char *host, uint16_t port);
void resolver_free(struct resolver **);

/* Continues to resolve.  1: the first address of the name is in *ret; 0: poll
 * again; -errno with error ("host: …"). */
int resolver_poll(struct resolver *, struct sockaddr_any *ret,
		  struct errmsg *error) MUST_CHECK;

/* Writes the next address of a name that was resolved.  False: the name has no
 * further address. */
bool resolver_next(struct resolver *, struct sockaddr_any *ret);
