/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hears from the kernel what becomes of network interfaces. */
#pragma once

#include <stdbool.h>

struct netif_watch;

/* What became of them; bits. */
enum netif_change {
	NETIF_TOUCHED = 1, /* the interface or its addresses */
	NETIF_ROUTES = 2,  /* what may lead elsewhere now */
};

/* routes: hears of routes and their rules, too.  NULL: the kernel tells us
 * nothing; who has none looks by itself. */
struct netif_watch *netif_watch_new(bool routes);
void netif_watch_free(struct netif_watch **);

/* Readable: there is something to look at. */
int netif_watch_fd(const struct netif_watch *);

/* What happened since the last call; everything, when so much happened that
 * it is not known.  ifindex 0: no interface. */
unsigned netif_watch_look(struct netif_watch *, unsigned ifindex);
