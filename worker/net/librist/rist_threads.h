/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Detects that a thread of a librist context is stuck: one serves its sockets,
 * and one each received flow.
 *
 * librist reports start and end of a thread. As it has no sign of life, the
 * worker reads /proc to see whether each thread makes progress. Each thread
 * sleeps every 5 ms, unless it reads without a pause. A thread that does
 * neither is in a loop or in a deadlock. On an overloaded machine a thread
 * neither sleeps nor runs; that is no error.
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
	RIST_THREADS_MAX = 32,    /* observed at most */
	RIST_WATCHDOG_CHECKS = 5, /* without progress, until it is stuck */
	/* CPU time without sleep, until it is a loop */
	RIST_WATCHDOG_LOOP_MS = 3000,
};

/* One observation of a thread. */
struct rist_thread_sample {
	uint64_t sleeps; /* voluntary context switches */
	uint64_t ran_ms; /* CPU time */
	bool ready;      /* running or runnable */
	bool reads;      /* has read what waited for it */
};

/* Embedded; zeroed memory is ready. */
struct rist_watchdog {
	uint64_t sleeps;
	uint64_t ran_ms; /* CPU time at the last progress */
	unsigned looks;  /* without progress since then */
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
	/* the first serves the sockets */
	struct rist_thread list[RIST_THREADS_MAX];
};

/* Judges a sample of a thread.  NULL: no error; otherwise its description. */
const char *rist_watchdog_check(struct rist_watchdog *,
				const struct rist_thread_sample *);

void rist_threads_init(struct rist_threads *);
void rist_threads_done(struct rist_threads *);

/* Call before the context is started. */
int rist_threads_follow(struct rist_threads *, struct rist_ctx *) MUST_CHECK;

/*
 * Call once a second. reads: librist has read what waited at its sockets at the
 * last call. NULL: no error. Otherwise a thread is stuck for ever, and the
 * context cannot be destroyed.
 */
const char *rist_threads_check(struct rist_threads *, bool reads);
