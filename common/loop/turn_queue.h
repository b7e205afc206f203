/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Spreads work that can wait over iterations of the loop: a few works in each,
 * so that the loop serves everything else between them.
 *
 * Owns a timer; borrows the loop.  Embedded.
 */
#pragma once

#include <ev.h>
#include <stdbool.h>
#include <sys/queue.h>

enum { TURN_QUEUE_SHARE = 8 }; /* works in an iteration of the loop */

/* A work, embedded by its owner; zeroed memory is in no queue. */
struct turn_work {
	TAILQ_ENTRY(turn_work) link;
	bool waits; /* in the queue */
	ev_io *watcher; /* gets EV_WRITE when the work is due */
};

struct turn_queue {
	struct ev_loop *loop;
	TAILQ_HEAD(, turn_work) works;
	ev_timer timer;
	unsigned turn; /* ev_iteration() of the last work */
	unsigned done; /* works in that iteration so far */
};

void turn_queue_init(struct turn_queue *, struct ev_loop *);

/* Frees the timer.  No work may wait in the queue. */
void turn_queue_done(struct turn_queue *);

/* Queues a work.  Its watcher gets the event in this iteration of the loop or a
 * later one.  Work that waits already keeps its place. */
void turn_queue_add(struct turn_queue *, struct turn_work *);

/* Removes a work, which may wait or not. */
void turn_queue_remove(struct turn_queue *, struct turn_work *);
