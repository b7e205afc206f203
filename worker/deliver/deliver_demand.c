/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Viewers of streams that run on demand. */
#include "common/base/mono.h"
#include "worker/deliver/deliver_inner.h"
#include "worker/deliver/mount.h"
#include "worker/deliver/viewer_conn.h"
#include "worker/deliver/viewer_session.h"

/* First viewers that are reported at once in a second.  The report at the end
 * of the second has the further ones. */
enum { DEMANDS_MAX = 100 };

/* Reports the first viewer of a stream on demand at once, because that starts
 * the stream.  A flood of clients that come and go is reported once a
 * second. */
void deliver_report_demand(struct deliver *d, struct mount *m)
{
	struct msg_deliver_viewers report;

	if (!m->demand || m->reported_viewers > 0 || d->on_demand == NULL ||
	    d->n_demands++ >= DEMANDS_MAX || !mount_next_report(m, &report))
		return;
	d->on_demand(&report, d->arg);
}

void deliver_welcome(struct deliver *d, struct viewer_conn *c, struct mount *m)
{
	uint64_t now_ms = mono_ms();

	if (!m->demand || mount_can_start(m, now_ms) != MOUNT_HAS_NOTHING) {
		deliver_admit(d, c, m);
		return;
	}
	demand_wait_add(&d->wait, c, m, now_ms + d->start_ms);
	deliver_start_tick(d);
	deliver_report_demand(d, m);
}

void deliver_feed_waiting(struct deliver *d, uint64_t now_ms)
{
	struct viewer_conn *c, *next;

	for (c = TAILQ_FIRST(&d->wait.conns); c != NULL; c = next) {
		enum demand_verdict verdict = demand_wait_judge(c, now_ms);
		struct mount *m = c->waits_for;

		next = TAILQ_NEXT(c, in_wait);
		/* without a permission: the master is judging the viewer again,
		 * so the request waits for the verdict */
		if (verdict == DEMAND_WAITS ||
		    (verdict == DEMAND_STARTS && !c->session->permitted))
			continue;
		demand_wait_remove(&d->wait, c);
		if (verdict == DEMAND_STARTS) {
			deliver_admit(d, c, m);
			continue;
		}
		session_free(&c->session);
		viewer_conn_reject(c, 503);
	}
}

void deliver_reject_waiting(struct deliver *d, struct mount *m)
{
	struct viewer_conn *c;

	while ((c = demand_wait_find(&d->wait, m)) != NULL) {
		demand_wait_remove(&d->wait, c);
		session_free(&c->session);
		viewer_conn_reject(c, 503);
	}
}
