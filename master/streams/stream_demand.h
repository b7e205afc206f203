/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The demand for a stream (demand.h), with a clock.
 *
 * Embedded.  Owns a timer; borrows the loop.
 */
#pragma once

#include "master/streams/demand.h"

#include <ev.h>
#include <stdbool.h>

struct stream_demand {
	struct demand demand;
	struct ev_loop *loop;
	ev_timer timer;
	/* The stream must start or stop.  Not called inside stream_demand_set()
	 * and stream_demand_recount(). */
	void (*on_change)(bool wanted, void *arg);
	void *arg;
};

void stream_demand_init(struct stream_demand *, struct ev_loop *,
			void (*on_change)(bool wanted, void *arg), void *arg);
void stream_demand_done(struct stream_demand *);

/* As the functions of demand.h with these names. */
void stream_demand_set(struct stream_demand *, int keep_s, bool running);
void stream_demand_viewers(struct stream_demand *, unsigned n);
void stream_demand_lost(struct stream_demand *, unsigned left);
/* The mounts were replaced and have n viewers now.  The other viewers were
 * disconnected and have DEMAND_GRACE_MS to return. */
void stream_demand_recount(struct stream_demand *, unsigned n);
void stream_demand_read(struct stream_demand *, bool read);
