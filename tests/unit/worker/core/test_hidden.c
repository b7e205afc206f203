/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/core/hidden.h"

#include "proto/ipc/contract.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

/* A driver that hangs in open would hang the caller, too. */
Test(hidden, opens_no_file_that_another_thread_could_not_open)
{
	char path[] = "/tmp/test-hidden-XXXXXX";
	char event[sizeof(struct inotify_event) + NAME_MAX + 1];
	int fd = mkstemp(path);
	int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	cr_assert_geq(fd, 0);
	(void)close(fd);
	cr_assert_geq(watch, 0);
	cr_assert_geq(inotify_add_watch(watch, path, IN_OPEN), 0);
	/* the process goes on */
	(void)setenv(WORKER_RENEW_VARIABLE, "18446744073709551615", 1);
	cr_assert(hidden_when_refused(path, R_OK | W_OK));
	cr_assert_eq(read(watch, event, sizeof event), -1);
	cr_assert_eq(errno, EAGAIN);
	/* which opens it, and may */
	cr_assert_not(hidden_by_sandbox(path));
	cr_assert_gt(read(watch, event, sizeof event), 0);
	(void)unlink(path);
	cr_assert_not(hidden_when_refused(path, R_OK | W_OK));
	(void)close(watch);
}
