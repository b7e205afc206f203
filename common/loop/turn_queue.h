/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Work that can wait: some of it in an iteration of the loop, so that between
 * two parts of it the loop serves everything else.
 *
 * Owns a timer; borrows the loop.  Embedded.
 */
#pragma once

#include <ev.h>
#include <stdbool.h>
#include <sys/queue.h>

enum { TURN_QUEUE_SHARE = 8 }; /* in an iteration of the loop */

/* Its owner embeds it, too; zeroed memory is not in a queue. */
struct turn_work {
	TAILQ_ENTRY(turn_work) link;
	bool waits;
	ev_io *watcher; /* gets EV_WRITE when it is the turn of this work */
};

struct turn_queue {
	struct ev_loop *loop;
	TAILQ_HEAD(, turn_work) works;
	ev_timer timer;
	unsigned turn; /* the iteration of the last work, ... */
	unsigned done; /* ... and how many it had */
};

void turn_queue_init(struct turn_queue *, struct ev_loop *);

/* Frees the timer.  No work may wait in the queue. */
void turn_queue_done(struct turn_queue *);

/* Queues a work.  Its watcher gets the event in this iteration of the loop or a
 * later one.  Work that waits already keeps its place. */
void turn_queue_add(struct turn_queue *, struct turn_work *);

/* Removes a work, which may wait or not. */
void turn_queue_remove(struct turn_queue *, struct turn_work *);
