/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/loop/turn_queue.h"

#include "common/base/util.h"
#include "common/loop/timer.h"

/* Counts a work of this iteration; false: the iteration has had
 * TURN_QUEUE_SHARE works. */
static bool take_turn(struct turn_queue *q)
{
	unsigned turn = ev_iteration(q->loop);

	if (q->turn != turn)
		q->done = 0;
	q->turn = turn;
	return q->done++ < TURN_QUEUE_SHARE;
}

static void on_turn(struct ev_loop *loop, ev_timer *timer, int revents)
{
	struct turn_queue *q = container_of(timer, struct turn_queue, timer);
	struct turn_work *w;

	(void)revents;
	while ((w = TAILQ_FIRST(&q->works)) != NULL && take_turn(q)) {
		turn_queue_remove(q, w);
		ev_feed_event(loop, w->watcher, EV_WRITE);
	}
	if (w != NULL)
		timer_start(loop, timer, 0);
}

void turn_queue_init(struct turn_queue *q, struct ev_loop *loop)
{
	*q = (struct turn_queue){ .loop = loop };
	TAILQ_INIT(&q->works);
	ev_init(&q->timer, on_turn);
}

void turn_queue_done(struct turn_queue *q)
{
	ev_timer_stop(q->loop, &q->timer);
}

void turn_queue_add(struct turn_queue *q, struct turn_work *w)
{
	if (w->waits)
		return;
	if (TAILQ_EMPTY(&q->works) && take_turn(q)) {
		ev_feed_event(q->loop, w->watcher, EV_WRITE);
		return;
	}
	w->waits = true;
	TAILQ_INSERT_TAIL(&q->works, w, link);
	timer_ensure(q->loop, &q->timer, 0);
}

void turn_queue_remove(struct turn_queue *q, struct turn_work *w)
{
	if (w->waits)
		TAILQ_REMOVE(&q->works, w, link);
	w->waits = false;
}
