/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Network interfaces by name or address, asked from the kernel over netlink. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"

#include <stdbool.h>

/*
 * The index of the interface; 0 or -errno with why: -ENODEV when there is
 * none of that name or with that address, -ENETDOWN when it is down.  Opens its
 * socket for the one question and closes it.
 */
int netif_index(const char *name, unsigned *ret, struct errmsg *why)
	MUST_CHECK;

/* The interface over which the kernel would reach the address; 0, or
 * -ENETUNREACH: there is no route. */
int netif_towards(const struct sockaddr_any *to, unsigned *ret) MUST_CHECK;

/* Does it lead back to this host? */
bool netif_is_loopback(unsigned index);
