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
 * long it sleeps in one system call that touches no descriptor at all.  What
 * may want something of it sends a signal, SIGIO from the descriptors, which
 * ends the sleep.
 *
 * Owns a timerfd, its watcher and an epoll; borrows the loop.  Blocks SIGIO in
 * the thread that calls it.  Embedded.
 */
#pragma once

#include <ev.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	TICKER_PHASES = 2,
	/* So many in a row without a look at the loop. */
	TICKER_ALONE = 49,
};

/* What wakes the loop of a worker that sleeps alone. */
struct ticker_wakes {
	int fd;        /* readable: the loop has something to do */
	int signal;    /* so it has with this one, which is blocked; ... */
	int signal_fd; /* ... its signalfd.  0 and -1: none */
};

struct ticker {
	struct ev_loop *loop;
	void (*on_tick)(void *arg);
	void *arg;
	ev_io io;
	bool alone;       /* only these wake the loop: */
	int wakes;        /* an epoll of their descriptors; or -1 */
	int watched;        /* in there: ticker_watch() */
	int wake_signal;
	sigset_t signals; /* that end the sleep */
	unsigned phase;       /* below TICKER_PHASES */
	uint64_t interval_ns; /* 0: runs once or not at all */
};

struct ticker_config {
	struct ev_loop *loop;
	const char *name; /* borrowed for the call */
	/* NULL: the loop may have something to do at any time.  Borrowed for
	 * the call. */
	const struct ticker_wakes *wake;
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
void ticker_watch(struct ticker *, int fd);

/* From now on every interval_ns; nothing changes when it does already. */
void ticker_every(struct ticker *, uint64_t interval_ns, uint64_t now_ns);

/* Once at at_ns (monotonic), or as soon as possible when that is over. */
void ticker_at(struct ticker *, uint64_t at_ns);
