/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/denial_log.h"

#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/util.h"
#include "common/loop/timer.h"

enum { BURST = 5, WINDOW_MS = 10000 };

static void log_number(unsigned n)
{
	if (n > 0)
		log_info("auth", "%u denied viewers were not logged", n);
}

static void on_end(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct denial_log *d = container_of(w, struct denial_log, timer);

	(void)loop, (void)revents;
	log_number(d->limit.suppressed);
	d->limit.suppressed = 0;
}

void denial_log_init(struct denial_log *d, struct ev_loop *loop)
{
	*d = (struct denial_log){
		.loop = loop,
		.limit = { .burst = BURST, .window_ms = WINDOW_MS },
	};
	ev_timer_init(&d->timer, on_end, 0, 0);
}

void denial_log_done(struct denial_log *d)
{
	ev_timer_stop(d->loop, &d->timer);
	log_number(d->limit.suppressed);
	d->limit.suppressed = 0;
}

bool denial_log_pass(struct denial_log *d)
{
	uint64_t now_ms = mono_ms(), end_ms;
	unsigned suppressed;

	if (ratelimit_pass(&d->limit, now_ms, &suppressed)) {
		log_number(suppressed);
		return true;
	}
	end_ms = d->limit.started_ms + d->limit.window_ms;
	timer_ensure(d->loop, &d->timer,
		     (double)(end_ms - MIN(now_ms, end_ms)) / 1000);
	return false;
}
