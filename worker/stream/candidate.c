/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/candidate.h"

void candidate_handle(struct candidate *c, enum candidate_event event)
{
	enum {
		STANDBY = CANDIDATE_STANDBY,
		PENDING = CANDIDATE_PENDING,
		ON_AIR = CANDIDATE_ON_AIR,
		ENDING = CANDIDATE_ENDING,
	};
	/* in the order of the events: choose, reject, enter, leave, cut */
	static const uint8_t next[CANDIDATE_STATES][CANDIDATE_EVENTS] = {
		[STANDBY] = { PENDING, STANDBY, ON_AIR, STANDBY, STANDBY },
		[PENDING] = { PENDING, STANDBY, ON_AIR, PENDING, STANDBY },
		[ON_AIR] = { ON_AIR, ON_AIR, ON_AIR, ENDING, STANDBY },
		/* an ending candidate that is chosen again becomes pending only
		 * after its cut */
		[ENDING] = { ENDING, ENDING, ON_AIR, ENDING, STANDBY },
	};

	c->state = (enum candidate_state)next[c->state][event];
}

struct switch_point *candidate_entry(struct candidate *c)
{
	if (c->entry == NULL)
		c->entry = switch_point_new(c->psi);
	return c->entry;
}

void candidate_begin_entry(struct candidate *c, unsigned wait_ms,
			   uint64_t now_ns)
{
	if (!c->entering)
		switch_point_want(candidate_entry(c), wait_ms, now_ns);
	else
		switch_point_set_wait(c->entry, wait_ms);
	c->entering = true;
}

void candidate_end_entry(struct candidate *c)
{
	if (c->entering)
		switch_point_cancel(c->entry);
	c->entering = false;
}

void candidate_forget(struct candidate *c)
{
	if (c->entry != NULL)
		switch_point_interrupt(c->entry, c->shows);
	c->entering = false;
}

void candidate_watch(struct candidate *c, const struct ts_run *runs,
		     size_t n_runs)
{
	if (!c->shows)
		c->shows = switch_point_watch(candidate_entry(c), runs, n_runs);
}
