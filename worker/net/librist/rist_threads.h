/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The threads of a context of librist: one for its sockets, and one for each
 * flow that is received.
 *
 * They tell of themselves when they begin and end; what they do is looked at
 * from ours, in /proc, as the library has no sample of life.
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

enum { RIST_THREADS_MAX = 32 }; /* that are looked at */

struct rist_thread {
	pid_t tid;
	clockid_t clock; /* what it had of the processor */
	struct rist_watchdog watchdog;
};

/* Embedded; where it stands it stays. */
struct rist_threads {
	pthread_mutex_t lock;
	uint64_t looked_ms;
	size_t n;
	struct rist_thread list[RIST_THREADS_MAX]; /* first that of sockets */
};

void rist_threads_init(struct rist_threads *);
void rist_threads_done(struct rist_threads *);

/* Before the context is started. */
int rist_threads_follow(struct rist_threads *, struct rist_ctx *) MUST_CHECK;

/*
 * Once a second.  reads: whether what waited at its sockets at the last call is
 * gone.  NULL: all are well; else what is wrong, and it will not get better:
 * the context cannot even be destroyed.
 */
const char *rist_threads_check(struct rist_threads *, bool reads);
