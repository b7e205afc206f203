/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports when the source addresses of the outputs must be looked up again:
 * after a change of interfaces, addresses or routes that has settled.  Frequent
 * changes cause at most ten reports a second.
 *
 * Owns its netif_watch and a watcher; borrows the loop.  Embedded; zeroed
 * memory never reports.
 */
#pragma once

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>

struct netif_watch;

struct netif_news {
	struct ev_loop *loop;
	/* events of the kernel; NULL: the kernel refuses them */
	struct netif_watch *watch;
	bool routes; /* changes of routes are reported, too */
	ev_io io;
	uint64_t taken_ns; /* time of the last report */
	uint64_t due_ns;   /* time of the next report; 0: no change waits */
};

/* Starts to watch.  routes: also reports changes of routes.  If the kernel
 * refuses its events, a report is due once a second. */
void netif_news_init(struct netif_news *, struct ev_loop *, bool routes);
void netif_news_done(struct netif_news *);

/* The descriptor becomes readable when the kernel reports a change. -1: there
 * is none, or a report waits already. */
int netif_news_fd(const struct netif_news *);

/* The time of the next report; UINT64_MAX: unknown. */
uint64_t netif_news_next_ns(const struct netif_news *);

/* Takes the report that is due; false: none is due. */
bool netif_news_take(struct netif_news *, uint64_t now_ns);
