/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Clients that do not come from the master: deliver's viewers, on a channel of
 * its own.
 *
 * Owns the channel; borrows the loop.  It ends by itself when the other end is
 * gone.
 */
#pragma once

#include "common/base/util.h"

#include <sys/queue.h>

struct channel;
struct ev_loop;
struct feed;

struct feed_config {
	struct ev_loop *loop;
	int fd; /* taken: one end of a SEQPACKET pair */
	/* A client: both descriptors belong to the receiver. */
	void (*on_client)(int outer, int inner, void *arg);
	/* Nobody comes any more: free it. */
	void (*on_end)(struct feed *, void *arg);
	void *arg;
};

struct feed {
	LIST_ENTRY(feed) link; /* the owner's */
	struct feed_config cfg;
	struct channel *channel;
};

struct feed *feed_new(const struct feed_config *);
/* NULL-safe; sets *f to NULL. */
void feed_free(struct feed **);
