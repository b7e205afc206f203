/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports when the addresses that the outputs send from must be looked up
 * again: after a change of interfaces, addresses or routes that has settled.
 * A storm of changes is looked at a few times a second.
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
	struct netif_watch *watch; /* NULL: the kernel reports nothing */
	bool routes;
	ev_io io;
	uint64_t taken_ns; /* the last look */
	uint64_t due_ns;   /* the next one; 0: after a change */
};

/* routes: their changes count as well.  Where the kernel reports nothing, it is
 * time to look once a second. */
void netif_news_init(struct netif_news *, struct ev_loop *, bool routes);
void netif_news_done(struct netif_news *);

/* Readable: the loop has a change to read; -1: not at the moment. */
int netif_news_fd(const struct netif_news *);

/* When it is time to look; UINT64_MAX: not known. */
uint64_t netif_news_next_ns(const struct netif_news *);

/* True when it is time to look. */
bool netif_news_take(struct netif_news *, uint64_t now_ns);
