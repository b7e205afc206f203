/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/loop/turn_queue.h"

#include "common/base/util.h"

#include <criterion/criterion.h>

enum { WORKS = 3 * TURN_QUEUE_SHARE + 1 };

static struct ev_loop *loop;
static struct turn_queue queue;
static struct turn_work works[WORKS];
static ev_io watchers[WORKS];
static unsigned n_done, done[WORKS], in_turn, turn, most;

static void on_work(struct ev_loop *l, ev_io *w, int revents)
{
	cr_assert_eq(revents, EV_WRITE);
	cr_assert_lt(n_done, (unsigned)WORKS);
	done[n_done++] = (unsigned)(w - watchers);
	in_turn = ev_iteration(l) == turn ? in_turn + 1 : 1;
	turn = ev_iteration(l);
	most = MAX(most, in_turn);
}

static void setup(void)
{
	loop = ev_loop_new(EVFLAG_AUTO);
	turn_queue_init(&queue, loop);
	n_done = in_turn = turn = most = 0;
	for (size_t i = 0; i < WORKS; i++) {
		ev_io_init(&watchers[i], on_work, 0, EV_WRITE);
		works[i] = (struct turn_work){ .watcher = &watchers[i] };
	}
}

static void teardown(void)
{
	turn_queue_done(&queue);
	ev_loop_destroy(loop);
}

TestSuite(turn_queue, .init = setup, .fini = teardown);

static void add_all(void)
{
	for (size_t i = 0; i < WORKS; i++)
		turn_queue_add(&queue, &works[i]);
}

Test(turn_queue, all_works_have_their_turn_in_order)
{
	add_all();
	ev_run(loop, 0);
	cr_assert_eq(n_done, (unsigned)WORKS);
	/* libev calls those of an iteration in any order */
	for (unsigned i = 0; i < WORKS; i++)
		cr_expect_eq(done[i] / TURN_QUEUE_SHARE, i / TURN_QUEUE_SHARE);
}

Test(turn_queue, an_iteration_of_the_loop_has_its_share)
{
	add_all();
	ev_run(loop, EVRUN_NOWAIT);
	cr_expect_leq(n_done, 2u * TURN_QUEUE_SHARE);
	ev_run(loop, 0);
	cr_expect_eq(n_done, (unsigned)WORKS);
	cr_expect_eq(most, (unsigned)TURN_QUEUE_SHARE);
}

Test(turn_queue, work_that_is_removed_has_no_turn)
{
	add_all();
	for (size_t i = 0; i < WORKS; i++)
		if (works[i].waits)
			turn_queue_remove(&queue, &works[i]);
	/* in no queue */
	turn_queue_remove(&queue, &works[0]);
	ev_run(loop, 0);
	cr_expect_eq(n_done, (unsigned)TURN_QUEUE_SHARE);
}

Test(turn_queue, work_that_waits_keeps_its_place)
{
	add_all();
	turn_queue_add(&queue, &works[WORKS - 1]);
	turn_queue_add(&queue, &works[TURN_QUEUE_SHARE]);
	ev_run(loop, 0);
	cr_expect_eq(n_done, (unsigned)WORKS);
	cr_expect_eq(done[WORKS - 1], WORKS - 1u);
}

Test(turn_queue, the_next_work_after_a_pause_is_done_at_once)
{
	add_all();
	ev_run(loop, 0);
	n_done = 0;
	turn_queue_add(&queue, &works[0]);
	cr_expect_not(works[0].waits);
	ev_run(loop, EVRUN_NOWAIT);
	cr_expect_eq(n_done, 1u);
}
