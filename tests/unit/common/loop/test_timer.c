/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/loop/timer.h"

#include <criterion/criterion.h>

enum { LONG_S = 1000 };

static struct ev_loop *loop;
static ev_timer timer;
static unsigned expired;

static void on_timer(struct ev_loop *l, ev_timer *t, int revents)
{
	(void)revents;
	cr_assert_eq(l, loop);
	cr_assert_eq(t, &timer);
	expired++;
}

static void setup(void)
{
	loop = ev_loop_new(EVFLAG_AUTO);
	cr_assert_not_null(loop);
	ev_init(&timer, on_timer);
	expired = 0;
}

static void teardown(void)
{
	ev_timer_stop(loop, &timer);
	ev_loop_destroy(loop);
}

TestSuite(timer, .init = setup, .fini = teardown);

static void expects_whole_time(void)
{
	double rest = ev_timer_remaining(loop, &timer);

	cr_assert(ev_is_active(&timer));
	cr_assert_float_eq(rest, LONG_S, 1e-6, "%g s", rest);
}

Test(timer, a_timer_that_expired_starts_with_its_whole_time)
{
	timer_start(loop, &timer, 0.);
	ev_run(loop, 0); /* ends, as no watcher runs any more */
	cr_assert_eq(expired, 1);
	timer_start(loop, &timer, LONG_S);
	expects_whole_time();
}

Test(timer, a_timer_that_was_stopped_starts_with_its_whole_time)
{
	timer_start(loop, &timer, 1.);
	ev_timer_stop(loop, &timer);
	timer_start(loop, &timer, LONG_S);
	expects_whole_time();
}

Test(timer, a_running_timer_starts_again)
{
	timer_start(loop, &timer, 1.);
	timer_start(loop, &timer, LONG_S);
	expects_whole_time();
}

Test(timer, a_start_drops_an_expiry_that_was_not_reported)
{
	ev_feed_event(loop, &timer, EV_TIMER);
	timer_start(loop, &timer, LONG_S);
	ev_invoke_pending(loop);
	cr_assert_eq(expired, 0);
	expects_whole_time();
}

Test(timer, ensure_leaves_a_running_timer_alone)
{
	timer_ensure(loop, &timer, LONG_S);
	timer_ensure(loop, &timer, 1.);
	expects_whole_time();
}

Test(timer, ensure_waits_for_an_expiry_that_is_to_be_reported)
{
	ev_feed_event(loop, &timer, EV_TIMER);
	timer_ensure(loop, &timer, LONG_S);
	cr_assert(!ev_is_active(&timer));
	ev_invoke_pending(loop);
	cr_assert_eq(expired, 1);
}

Test(timer, a_repeated_timer_expires_until_it_is_stopped)
{
	timer_repeat(loop, &timer, 0., 1e-3);
	while (expired < 3)
		ev_run(loop, EVRUN_ONCE);
	cr_assert(ev_is_active(&timer));
	/* a start without repetition ends it */
	timer_start(loop, &timer, 0.);
	ev_run(loop, 0);
	cr_assert(!ev_is_active(&timer));
}
