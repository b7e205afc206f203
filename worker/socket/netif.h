/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds network interfaces by name, address or route, over netlink. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"

#include <stdbool.h>

/*
 * Finds the index of an interface, which must be up, by its name or address.
 * 0, or -errno with error; -ENODEV: not found, -ENETDOWN: it is down.
 */
int netif_index(const char *name, unsigned *ret, struct errmsg *error)
	MUST_CHECK;

/* Finds the index of the interface of the route to an address.  0;
 * -ENETUNREACH: no route, or netlink failed; or -ENOMEM. */
int netif_towards(const struct sockaddr_any *to, unsigned *ret) MUST_CHECK;

bool netif_is_loopback(unsigned index);
