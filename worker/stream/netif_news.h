/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tells when it is time to look where the kernel sends to: when something
 * became of interfaces, addresses or routes, and that has settled.  A storm of
 * changes is looked at a few times a second.
 *
 * Owns its watch of them and a watcher; borrows the loop.  Embedded; zeroed
 * memory never tells of anything.
 */
#pragma once

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>

struct netif_watch;

struct netif_news {
	struct ev_loop *loop;
	struct netif_watch *watch; /* NULL: nothing is heard */
	bool routes;
	ev_io io;
	uint64_t taken_ns; /* the last look */
	uint64_t due_ns;   /* the next one; 0: when something is heard */
};

/* routes: they are to be heard, too.  While the kernel tells us nothing it is
 * time to look once a second. */
void netif_news_init(struct netif_news *, struct ev_loop *, bool routes);
void netif_news_done(struct netif_news *);

/* Readable: the loop has something to do for it; -1: not at the moment. */
int netif_news_fd(const struct netif_news *);

/* When there is something to take; UINT64_MAX: it is not known. */
uint64_t netif_news_next_ns(const struct netif_news *);

/* True when it is time to look. */
bool netif_news_take(struct netif_news *, uint64_t now_ns);
