/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads for what may block: the loop's thread never waits for a disk. */
#pragma once

#include "common/base/util.h"

#include <pthread.h>
#include <stdbool.h>

enum { THREAD_JOIN_MAX_S = 3 };

/* A thread that takes none of the signals that the loop's thread waits for.
 * 0 or -errno. */
int thread_start(pthread_t *ret, void *(*run)(void *arg),
		 void *arg) MUST_CHECK;

/* At the end of the process; false when it does not end in a few seconds. */
bool thread_join(pthread_t) MUST_CHECK;
