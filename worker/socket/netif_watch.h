/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Receives the kernel's events about network interfaces and routes. */
#pragma once

#include <stdbool.h>

struct netif_watch;

/* Kinds of events; bits. */
enum netif_change {
	NETIF_TOUCHED = 1, /* the interface or its addresses changed */
	NETIF_ROUTES = 2,  /* a route or a rule may have changed */
};

/* routes: also receives events of routes and rules.  NULL: the kernel refuses
 * events, and the owner must poll. */
struct netif_watch *netif_watch_new(bool routes);
void netif_watch_free(struct netif_watch **);

/* Readable while events wait. */
int netif_watch_fd(const struct netif_watch *);

/* Reads the events that wait and returns their kinds, as bits; both kinds if
 * the kernel dropped events or too many wait.  Each event counts as
 * NETIF_ROUTES; one of the interface ifindex (0: none) also as
 * NETIF_TOUCHED. */
unsigned netif_watch_look(struct netif_watch *, unsigned ifindex);
