/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wakes the data path: once at a time, or again and again.
 *
 * Repeated wake-ups fall on a grid that all workers of the machine share:
 * whole multiples of the interval on the monotonic clock, moved by one of
 * TICKER_PHASES parts that the name chooses.  So the kernel expires many
 * timers in one interrupt and runs the workers one behind the other, which
 * costs a good deal less than 50 workers that wake each at its own time.  The
 * parts keep all streams from leaving in the same instant.
 *
 * Owns a timerfd and its watcher; borrows the loop.  Embedded.
 */
#pragma once

#include <ev.h>
#include <stdint.h>

enum { TICKER_PHASES = 2 };

struct ticker {
	struct ev_loop *loop;
	void (*on_tick)(void *arg);
	void *arg;
	ev_io io;
	unsigned phase;       /* below TICKER_PHASES */
	uint64_t interval_ns; /* 0: runs once or not at all */
};

/* Not yet running.  Never fails: without a timer the process ends, as it does
 * without memory. */
void ticker_init(struct ticker *, struct ev_loop *, const char *name,
		 void (*on_tick)(void *arg), void *arg);
void ticker_done(struct ticker *);

/* From now on every interval_ns; nothing changes when it does already. */
void ticker_every(struct ticker *, uint64_t interval_ns, uint64_t now_ns);

/* Once at at_ns (monotonic), or as soon as possible when that is over. */
void ticker_at(struct ticker *, uint64_t at_ns);
