/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Helper threads for calls that can block, so that the loop never waits. */
#pragma once

#include "common/base/util.h"

#include <pthread.h>
#include <stdbool.h>

enum { THREAD_JOIN_MAX_S = 3 };

/* Starts a thread with all signals blocked that the loop handles.  0 or
 * -errno. */
int thread_start(pthread_t *ret, void *(*run)(void *arg),
		 void *arg) MUST_CHECK;

/* Joins at the end of the process; false if the thread does not end within
 * THREAD_JOIN_MAX_S. */
bool thread_join(pthread_t) MUST_CHECK;
