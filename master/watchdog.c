/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/watchdog.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/base/util.h"
#include "common/loop/timer.h"
#include "master/streams/reconciler.h"

#include <ev.h>
#include <inttypes.h>
#include <stdlib.h>
#include <systemd/sd-daemon.h>

enum { STATUS_S = 5 };

struct watchdog {
	struct ev_loop *loop;
	const struct reconciler *reconciler;
	ev_timer feed;
	ev_timer status;
};

static void on_feed(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop, (void)t, (void)revents;
	(void)sd_notify(0, "WATCHDOG=1");
}

static void on_status(struct ev_loop *loop, ev_timer *t, int revents)
{
	const struct watchdog *w = container_of(t, struct watchdog, status);
	unsigned workers, viewers;

	(void)loop, (void)revents;
	reconciler_totals(w->reconciler, &workers, &viewers);
	(void)sd_notifyf(0, "STATUS=%u workers running, %u viewers", workers,
			 viewers);
}

void watchdog_report_reloading(void)
{
	(void)sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
			 mono_ns() / 1000);
}

void watchdog_report_ready(void)
{
	(void)sd_notify(0, "READY=1");
}

struct watchdog *watchdog_new(struct ev_loop *loop,
			      const struct reconciler *reconciler)
{
	struct watchdog *w = xcalloc(1, sizeof *w);
	uint64_t usec = 0;

	w->loop = loop;
	w->reconciler = reconciler;
	ev_init(&w->feed, on_feed);
	ev_init(&w->status, on_status);
	if (sd_watchdog_enabled(0, &usec) > 0 && usec > 0) {
		/* interval in s: three signals in each timeout of systemd */
		timer_repeat(loop, &w->feed, 0., (double)usec / 3e6);
	}
	watchdog_report_ready();
	if (getenv("NOTIFY_SOCKET") != NULL)
		timer_repeat(loop, &w->status, STATUS_S, STATUS_S);
	return w;
}

void watchdog_free(struct watchdog **w)
{
	if (*w == NULL)
		return;
	ev_timer_stop((*w)->loop, &(*w)->feed);
	ev_timer_stop((*w)->loop, &(*w)->status);
	free(*w);
	*w = NULL;
}

void watchdog_report_stopping(struct watchdog *w)
{
	ev_timer_stop(w->loop, &w->status);
	(void)sd_notify(0, "STOPPING=1");
}
