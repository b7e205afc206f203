/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Detects that a thread of a librist context is stuck.  One thread serves the
 * sockets, and one each received flow.
 *
 * librist reports when a thread starts and ends, but not that it is alive.  So
 * the worker reads in /proc whether each thread makes progress: it sleeps every
 * 5 ms, or it reads without a pause.  A thread that does neither is in a loop
 * or a deadlock.  On an overloaded machine a thread may neither sleep nor run;
 * that is no error.
 */
#pragma once

#include "common/base/util.h"

#include <librist/librist.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum {
	RIST_THREADS_MAX = 32,    /* further threads are not observed */
	/* checks without progress after which a thread is blocked */
	RIST_WATCHDOG_CHECKS = 5,
	/* CPU time in ms without a sleep or a read after which a thread is in a
	 * loop */
	RIST_WATCHDOG_LOOP_MS = 3000,
};

/* One observation of a thread. */
struct rist_thread_sample {
	uint64_t sleeps; /* number of voluntary context switches */
	uint64_t ran_ms; /* CPU time in ms */
	bool ready;      /* running or runnable */
	bool reads;      /* the thread has read datagrams since the last
			  * sample */
};

/* Embedded; zeroed memory is ready. */
struct rist_watchdog {
	uint64_t sleeps; /* voluntary context switches at the last sample */
	uint64_t ran_ms; /* CPU time in ms when the thread last slept or read
			  * datagrams */
	unsigned looks;  /* samples without progress in which the thread was not
			  * runnable */
};

struct rist_thread {
	pid_t tid;
	clockid_t clock; /* CPU clock of the thread */
	struct rist_watchdog watchdog;
};

/* Embedded; must not move. */
struct rist_threads {
	pthread_mutex_t lock;
	uint64_t looked_ms;
	size_t n;
	/* list[0] serves the sockets */
	struct rist_thread list[RIST_THREADS_MAX];
};

/* Checks a sample of a thread.  NULL: no error; otherwise the error. */
const char *rist_watchdog_check(struct rist_watchdog *,
				const struct rist_thread_sample *);

void rist_threads_init(struct rist_threads *);
void rist_threads_done(struct rist_threads *);

/* Must be called before the context is started. */
int rist_threads_follow(struct rist_threads *, struct rist_ctx *) MUST_CHECK;

/*
 * Checks all threads; to be called once a second.  reads: since the last call,
 * librist has read datagrams from its sockets.  NULL: no error.  Otherwise a
 * thread is stuck for ever, and the context cannot be destroyed.
 */
const char *rist_threads_check(struct rist_threads *, bool reads);
