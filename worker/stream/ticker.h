/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wakes the data path: once at a given time, or periodically.
 *
 * Periodic wake-ups fall on a grid that all workers of the machine share: whole
 * multiples of the interval on the monotonic clock.  So the kernel expires many
 * timers in one interrupt and runs the workers in turn.  This costs less CPU
 * than a time of its own for each worker.
 *
 * The worker need not return to its loop after each tick: for up to
 * TICKER_ALONE ticks it sleeps in a system call that touches no descriptor
 * (sigtimedwait()).  SIGIO from the descriptors ends the sleep.
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
	/* The most ticks before the worker returns to its loop. */
	TICKER_ALONE = 49,
};

/* Descriptors that wake a worker that sleeps without its loop. */
struct ticker_wakes {
	int fd;        /* descriptor: readable when the loop has work */
	int signal;    /* blocked signal: pending when the loop has work; 0:
			* none */
	int signal_fd; /* signalfd of that signal; -1: none */
};

struct ticker {
	struct ev_loop *loop;
	void (*on_tick)(void *arg);
	void *arg;
	ev_io io;
	bool alone;       /* sleeps without the loop */
	int wakes;        /* epoll of the ticker_wakes descriptors; or -1 */
	int watched;      /* descriptor of ticker_watch(); or -1 */
	int wake_signal;
	sigset_t signals; /* signals that end the sleep */
	/* interval of periodic ticks; 0: ticks once, or does not run */
	uint64_t interval_ns;
	uint64_t lead_ns;
};

struct ticker_config {
	struct ev_loop *loop;
	/* NULL: the ticker always returns to the loop, which may have work at
	 * any time.  Borrowed for the call. */
	const struct ticker_wakes *wake;
	/* Must not call ticker_done(). */
	void (*on_tick)(void *arg);
	void *arg;
	/* Every periodic tick comes this time before its time in the grid, at
	 * which its result must be ready; less than an interval. */
	uint64_t lead_ns;
};

/* Makes a ticker that does not run yet.  If the kernel gives no timer or no
 * epoll, the process aborts. */
void ticker_init(struct ticker *, const struct ticker_config *);
void ticker_done(struct ticker *);

/* Sets a further descriptor that is readable when the loop has work, instead of
 * that of the previous call; -1: none.  For a new descriptor with the same
 * number call it with -1 first. */
void ticker_watch(struct ticker *, int fd);

/* Ticks every interval_ns from now on; no change if it already does. */
void ticker_every(struct ticker *, uint64_t interval_ns, uint64_t now_ns);

/* Ticks once at at_ns (monotonic), at once if that time has passed. */
void ticker_at(struct ticker *, uint64_t at_ns);
