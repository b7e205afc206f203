/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests for streams on demand that do not run yet: each waits for packets
 * before it gets an answer.
 *
 * Embedded.  Borrows the connections and their mounts, which count the requests
 * that wait for them.
 */
#pragma once

#include <stdint.h>
#include <sys/queue.h>

struct mount;
struct viewer_conn;

struct demand_wait {
	TAILQ_HEAD(, viewer_conn) conns; /* oldest first */
	unsigned n;
};

void demand_wait_init(struct demand_wait *);

void demand_wait_add(struct demand_wait *, struct viewer_conn *,
		     struct mount *, uint64_t until_ms);
/* Ends the wait of a connection.  Does nothing if it does not wait. */
void demand_wait_remove(struct demand_wait *, struct viewer_conn *);

/* Moves a waiting connection behind all other ones.  Its wait still ends at the
 * same time. */
void demand_wait_last(struct demand_wait *, struct viewer_conn *);

/* Lets the connections that wait for mount `from' wait for mount `to'.  Their
 * waits still end at the same time. */
void demand_wait_move(struct demand_wait *, struct mount *from,
		      struct mount *to);

/* The first connection that waits for this mount, or NULL. */
struct viewer_conn *demand_wait_find(const struct demand_wait *,
				     const struct mount *);

enum demand_verdict {
	DEMAND_WAITS,
	DEMAND_STARTS, /* the viewer can be served */
	DEMAND_FAILED, /* no packets arrived in time */
};
enum demand_verdict demand_wait_judge(const struct viewer_conn *,
				      uint64_t now_ms);
