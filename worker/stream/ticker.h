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
 * Between two wake-ups the worker need not go back to its loop: many ticks
 * long it waits for the time and for the few descriptors on which somebody may
 * want something of it, in one system call instead of two and without the
 * loop's bookkeeping, which has grown cold each time.  It sleeps in an epoll:
 * one descriptor is touched, however many may wake it.
 *
 * Owns a timerfd, its watcher and an epoll; borrows the loop.  Embedded.
 */
#pragma once

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	TICKER_PHASES = 2,
	/* So many in a row without a look at the loop. */
	TICKER_ALONE = 49,
	/* What wakes the loop, see ticker_init(). */
	TICKER_WAKES = 2,
};

struct ticker {
	struct ev_loop *loop;
	void (*on_tick)(void *arg);
	void *arg;
	ev_io io;
	int wakes;       /* an epoll of what alone wakes the loop; or -1 */
	int heard;       /* in there: ticker_hear() */
	bool old_kernel; /* before Linux 5.11: no epoll_pwait2() */
	unsigned phase;       /* below TICKER_PHASES */
	uint64_t interval_ns; /* 0: runs once or not at all */
};

struct ticker_config {
	struct ev_loop *loop;
	const char *name; /* borrowed for the call */
	/* When one of these TICKER_WAKES is readable the loop has something to
	 * do (-1: none); NULL: it may have at any time.  A signal does not
	 * wake it.  Borrowed for the call. */
	const int *wake;
	/* Must not call ticker_done(). */
	void (*on_tick)(void *arg);
	void *arg;
};

/* Not yet running.  Never fails: without a timer the process ends, as it does
 * without memory. */
void ticker_init(struct ticker *, const struct ticker_config *);
void ticker_done(struct ticker *);

/* When this is readable, too, the loop has something to do; -1: no more.  For
 * another one by the same number it has to be -1 in between. */
void ticker_hear(struct ticker *, int fd);

/* From now on every interval_ns; nothing changes when it does already. */
void ticker_every(struct ticker *, uint64_t interval_ns, uint64_t now_ns);

/* Once at at_ns (monotonic), or as soon as possible when that is over. */
void ticker_at(struct ticker *, uint64_t at_ns);
