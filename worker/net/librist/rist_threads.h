/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Observes the threads of a librist context: one for its sockets, and one for
 * each received flow.
 *
 * librist reports start and end of a thread. As it has no sign of life, the
 * worker reads /proc to see whether each thread makes progress.
 */
#pragma once

#include "common/base/util.h"
#include "worker/net/librist/rist_watchdog.h"

#include <librist/librist.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

enum { RIST_THREADS_MAX = 32 }; /* observed at most */

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
