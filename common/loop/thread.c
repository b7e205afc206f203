/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/loop/thread.h"

#include "common/base/util.h"

#include <signal.h>
#include <time.h>

int thread_start(pthread_t *ret, void *(*run)(void *arg), void *arg)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL,
				      SIGTRAP };
	sigset_t all, old;
	int err;

	(void)sigfillset(&all);
	/* the thread handles its own faults, and sanitizers need them */
	for (size_t i = 0; i < ARRAY_LEN(faults); i++)
		(void)sigdelset(&all, faults[i]);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(ret, NULL, run, arg);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -err;
}

bool thread_join(pthread_t thread)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += THREAD_JOIN_MAX_S;
	return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC,
				    &until) == 0;
}
