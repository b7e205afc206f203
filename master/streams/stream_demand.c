/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/stream_demand.h"

#include "common/base/mono.h"
#include "common/base/util.h"
#include "common/loop/timer.h"

static void start_timer(struct stream_demand *s)
{
	uint64_t now_ms = mono_ms(), end_ms = s->demand.end_ms;

	ev_timer_stop(s->loop, &s->timer);
	if (end_ms == 0)
		return;
	timer_start(s->loop, &s->timer,
		    end_ms > now_ms ? (double)(end_ms - now_ms) / 1e3 : 0.);
}

/* Starts the timer of the demand and calls on_change if the demand has changed.
 * on_change may free the owner, so the caller must return at once. */
static void report(struct stream_demand *s, bool was_wanted)
{
	bool wanted = demand_is_wanted(&s->demand);

	start_timer(s);
	if (wanted != was_wanted)
		s->on_change(wanted, s->arg);
}

static void on_timer(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct stream_demand *s = container_of(t, struct stream_demand, timer);
	bool was = demand_is_wanted(&s->demand);

	(void)loop, (void)revents;
	demand_pass(&s->demand, mono_ms());
	report(s, was);
}

void stream_demand_init(struct stream_demand *s, struct ev_loop *loop,
			void (*on_change)(bool wanted, void *arg), void *arg)
{
	*s = (struct stream_demand){
		.demand = { .keep_s = -1 },
		.loop = loop,
		.on_change = on_change,
		.arg = arg,
	};
	ev_init(&s->timer, on_timer);
}

void stream_demand_done(struct stream_demand *s)
{
	ev_timer_stop(s->loop, &s->timer);
}

void stream_demand_set(struct stream_demand *s, int keep_s, bool running)
{
	demand_set(&s->demand, keep_s, running, mono_ms());
	start_timer(s);
}

void stream_demand_viewers(struct stream_demand *s, unsigned n)
{
	bool was = demand_is_wanted(&s->demand);

	demand_viewers(&s->demand, n, mono_ms());
	report(s, was);
}

void stream_demand_lost(struct stream_demand *s, unsigned left)
{
	bool was = demand_is_wanted(&s->demand);

	demand_lost(&s->demand, left, mono_ms());
	report(s, was);
}

void stream_demand_recount(struct stream_demand *s, unsigned n)
{
	demand_lost(&s->demand, n, mono_ms());
	start_timer(s);
}

void stream_demand_read(struct stream_demand *s, bool read)
{
	bool was = demand_is_wanted(&s->demand);

	demand_read(&s->demand, read, mono_ms());
	report(s, was);
}
