/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The viewers of https outputs: clients that the deliver worker hands over on a
 * channel of its own.
 *
 * Owns the channel; borrows the loop.  The end of the channel is the end of the
 * feed.
 */
#pragma once

#include <sys/queue.h>

struct channel;
struct ev_loop;
struct tls_feed;

struct tls_feed_config {
	struct ev_loop *loop;
	int fd; /* taken: one end of a SEQPACKET pair */
	/* A client.  Both descriptors belong to the receiver. */
	void (*on_client)(int outer, int inner, void *arg);
	/* The channel ended: free the feed. */
	void (*on_end)(struct tls_feed *, void *arg);
	void *arg;
};

struct tls_feed {
	LIST_ENTRY(tls_feed) link; /* for the owner */
	struct tls_feed_config cfg;
	struct channel *channel;
};

struct tls_feed *tls_feed_new(const struct tls_feed_config *);
/* NULL-safe; sets *f to NULL. */
void tls_feed_free(struct tls_feed **);
