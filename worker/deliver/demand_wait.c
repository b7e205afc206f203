/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/demand_wait.h"

#include "worker/deliver/mount.h"
#include "worker/deliver/viewer_conn.h"

void demand_wait_init(struct demand_wait *w)
{
	TAILQ_INIT(&w->conns);
	w->n = 0;
}

void demand_wait_add(struct demand_wait *w, struct viewer_conn *c,
		     struct mount *m, uint64_t until_ms)
{
	c->waits_for = m;
	c->wait_until_ms = until_ms;
	TAILQ_INSERT_TAIL(&w->conns, c, in_wait);
	m->n_waiting++;
	w->n++;
}

void demand_wait_remove(struct demand_wait *w, struct viewer_conn *c)
{
	if (c->waits_for == NULL)
		return;
	TAILQ_REMOVE(&w->conns, c, in_wait);
	c->waits_for->n_waiting--;
	c->waits_for = NULL;
	w->n--;
}

void demand_wait_last(struct demand_wait *w, struct viewer_conn *c)
{
	TAILQ_REMOVE(&w->conns, c, in_wait);
	TAILQ_INSERT_TAIL(&w->conns, c, in_wait);
}

void demand_wait_move(struct demand_wait *w, struct mount *from,
		      struct mount *to)
{
	struct viewer_conn *c;

	TAILQ_FOREACH(c, &w->conns, in_wait)
		if (c->waits_for == from)
			c->waits_for = to;
	to->n_waiting += from->n_waiting;
	from->n_waiting = 0;
}

struct viewer_conn *demand_wait_find(const struct demand_wait *w,
				     const struct mount *m)
{
	struct viewer_conn *c;

	TAILQ_FOREACH(c, &w->conns, in_wait)
		if (c->waits_for == m)
			break;
	return c;
}

enum demand_verdict demand_wait_judge(const struct viewer_conn *c,
				      uint64_t now_ms)
{
	enum mount_start start = mount_can_start(c->waits_for, now_ms);

	if (start == MOUNT_HAS_PICTURE)
		return DEMAND_STARTS;
	if (now_ms < c->wait_until_ms)
		return DEMAND_WAITS;
	/* the wait for a picture is over: the viewer starts anywhere */
	return start == MOUNT_HAS_PACKETS ? DEMAND_STARTS : DEMAND_FAILED;
}
