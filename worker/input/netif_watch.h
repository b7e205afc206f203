/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hears from the kernel what becomes of network interfaces. */
#pragma once

#include <stdbool.h>

struct netif_watch;

/* NULL: the kernel tells us nothing; who has none looks by itself. */
struct netif_watch *netif_watch_new(void);
void netif_watch_free(struct netif_watch **);

/* Has something become of the interface or its addresses since the last call?
 * True, too, when so much happened that it is not known. */
bool netif_watch_look(struct netif_watch *, unsigned ifindex);
