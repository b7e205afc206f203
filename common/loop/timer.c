/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/loop/timer.h"

void timer_start(struct ev_loop *loop, ev_timer *t, double seconds)
{
	timer_repeat(loop, t, seconds, 0.);
}

void timer_ensure(struct ev_loop *loop, ev_timer *t, double seconds)
{
	if (!ev_is_active(t) && !ev_is_pending(t))
		timer_start(loop, t, seconds);
}

void timer_repeat(struct ev_loop *loop, ev_timer *t, double first_s,
		  double every_s)
{
	ev_timer_stop(loop, t);
	ev_timer_set(t, first_s, every_s);
	ev_timer_start(loop, t);
}
