/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each case is a story: at a time something happens, and then the stream has
 * this state. */
#include "master/streams/stream_demand.h"

#include "common/base/util.h"

#include <criterion/criterion.h>

enum act { END, SET, SET_RUNNING, VIEWERS, LOST, READ, PASS };

struct step {
	enum act act;
	int n;
	uint64_t now_ms;
	enum demand_state state;
	uint64_t end_ms;
};

enum { STEPS_MAX = 10 };

static const struct story {
	const char *name;
	struct step steps[STEPS_MAX];
} stories[] = {
	{ "a stream that is always on does not care about viewers", {
		{ SET, -1, 0, DEMAND_ALWAYS, 0 },
		{ VIEWERS, 1, 10, DEMAND_ALWAYS, 0 },
		{ VIEWERS, 0, 20, DEMAND_ALWAYS, 0 },
		{ LOST, 0, 30, DEMAND_ALWAYS, 0 } } },
	{ "0 stops at once", {
		{ SET, 0, 0, DEMAND_WAITING, 0 },
		{ PASS, 0, 5, DEMAND_WAITING, 0 },
		{ VIEWERS, 1, 10, DEMAND_ACTIVE, 0 },
		{ VIEWERS, 2, 11, DEMAND_ACTIVE, 0 },
		{ VIEWERS, 1, 12, DEMAND_ACTIVE, 0 },
		{ VIEWERS, 0, 20, DEMAND_WAITING, 0 },
		{ VIEWERS, 3, 21, DEMAND_ACTIVE, 0 } } },
	{ "10 stops after 10 s without a viewer", {
		{ SET, 10, 0, DEMAND_WAITING, 0 },
		{ VIEWERS, 1, 100, DEMAND_ACTIVE, 0 },
		{ VIEWERS, 0, 200, DEMAND_LINGERING, 10200 },
		{ VIEWERS, 0, 5000, DEMAND_LINGERING, 10200 },
		{ VIEWERS, 1, 6000, DEMAND_ACTIVE, 0 },
		{ VIEWERS, 0, 7000, DEMAND_LINGERING, 17000 },
		{ PASS, 0, 16999, DEMAND_LINGERING, 17000 },
		{ PASS, 0, 17000, DEMAND_WAITING, 0 } } },
	{ "a reader counts as a viewer", {
		{ SET, 0, 0, DEMAND_WAITING, 0 },
		{ READ, 1, 10, DEMAND_ACTIVE, 0 },
		{ VIEWERS, 1, 20, DEMAND_ACTIVE, 0 },
		{ READ, 0, 30, DEMAND_ACTIVE, 0 },
		{ READ, 1, 40, DEMAND_ACTIVE, 0 },
		{ VIEWERS, 0, 50, DEMAND_ACTIVE, 0 },
		{ READ, 0, 60, DEMAND_WAITING, 0 } } },
	{ "viewers that lost their worker may return", {
		{ SET, 0, 0, DEMAND_WAITING, 0 },
		{ LOST, 0, 5, DEMAND_WAITING, 0 },
		{ VIEWERS, 4, 10, DEMAND_ACTIVE, 0 },
		{ LOST, 0, 100, DEMAND_LINGERING, 100 + DEMAND_GRACE_MS },
		{ VIEWERS, 1, 200, DEMAND_ACTIVE, 0 },
		{ LOST, 0, 300, DEMAND_LINGERING, 300 + DEMAND_GRACE_MS },
		{ PASS, 0, 300 + DEMAND_GRACE_MS, DEMAND_WAITING, 0 } } },
	{ "viewers of a path that was replaced may return", {
		{ SET, 0, 0, DEMAND_WAITING, 0 },
		{ VIEWERS, 3, 10, DEMAND_ACTIVE, 0 },
		{ LOST, 1, 100, DEMAND_ACTIVE, 0 },
		{ LOST, 0, 200, DEMAND_LINGERING, 200 + DEMAND_GRACE_MS },
		{ PASS, 0, 200 + DEMAND_GRACE_MS, DEMAND_WAITING, 0 } } },
	{ "a stream that is disabled with a viewer waits when it returns", {
		{ SET, 0, 0, DEMAND_WAITING, 0 },
		{ VIEWERS, 1, 10, DEMAND_ACTIVE, 0 },
		{ SET, -1, 100, DEMAND_ALWAYS, 0 },
		{ LOST, 0, 100, DEMAND_ALWAYS, 0 },
		{ SET, 0, 200, DEMAND_WAITING, 0 } } },
	{ "a running stream may have viewers that are not counted yet", {
		{ SET_RUNNING, 0, 1000, DEMAND_LINGERING,
		  1000 + DEMAND_GRACE_MS },
		{ VIEWERS, 1, 1500, DEMAND_ACTIVE, 0 },
		{ SET_RUNNING, 60, 1600, DEMAND_ACTIVE, 0 },
		{ VIEWERS, 0, 2000, DEMAND_LINGERING, 62000 },
		{ SET_RUNNING, 1, 3000, DEMAND_LINGERING,
		  3000 + DEMAND_GRACE_MS },
		{ SET_RUNNING, -1, 3100, DEMAND_ALWAYS, 0 } } },
	{ "a stopped stream that is no longer on demand starts", {
		{ SET, 0, 0, DEMAND_WAITING, 0 },
		{ SET, -1, 10, DEMAND_ALWAYS, 0 },
		{ SET, 5, 20, DEMAND_WAITING, 0 } } },
};

Test(demand, follows_the_stories)
{
	for (size_t i = 0; i < ARRAY_LEN(stories); i++) {
		struct demand d = { 0 };

		d.keep_s = -1;
		for (const struct step *s = stories[i].steps; s->act != END;
		     s++) {
			if (s->act == SET || s->act == SET_RUNNING)
				demand_set(&d, s->n, s->act == SET_RUNNING,
					   s->now_ms);
			else if (s->act == VIEWERS)
				demand_viewers(&d, (unsigned)s->n, s->now_ms);
			else if (s->act == LOST)
				demand_lost(&d, (unsigned)s->n, s->now_ms);
			else if (s->act == READ)
				demand_read(&d, s->n != 0, s->now_ms);
			else
				demand_pass(&d, s->now_ms);
			cr_expect(d.state == s->state && d.end_ms == s->end_ms,
				  "%s: at %lu: state %d until %lu",
				  stories[i].name, (unsigned long)s->now_ms,
				  d.state, (unsigned long)d.end_ms);
			cr_expect_eq(demand_is_wanted(&d),
				     s->state != DEMAND_WAITING);
		}
	}
}

static void on_change(bool wanted, void *arg)
{
	*(bool *)arg = wanted;
}

Test(demand, viewers_of_other_workers_stay_after_the_end_of_one)
{
	struct ev_loop *loop = ev_loop_new(EVFLAG_NOENV);
	struct stream_demand s;
	bool wanted = false;

	stream_demand_init(&s, loop, on_change, &wanted);
	stream_demand_set(&s, 0, false);
	stream_demand_viewers(&s, 3);
	cr_expect(wanted);
	stream_demand_lost(&s, 1);
	cr_expect_eq(s.demand.state, DEMAND_ACTIVE);
	cr_expect_not(ev_is_active(&s.timer));
	stream_demand_lost(&s, 0);
	cr_expect_eq(s.demand.state, DEMAND_LINGERING);
	cr_expect(ev_is_active(&s.timer));
	cr_expect(wanted);
	stream_demand_done(&s);
	ev_loop_destroy(loop);
}
