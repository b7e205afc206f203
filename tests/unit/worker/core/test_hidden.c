/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/core/hidden.h"

#include "common/base/landlock.h"
#include "proto/ipc/contract.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/wait.h>
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

/* The error of a process that opens a file below the folder; its rules allow
 * the folder, or nothing. */
static int open_below(int folder, const char *allowed)
{
	int rules = landlock_new(false), status;
	pid_t pid = fork();

	if (pid == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		    (allowed != NULL &&
		     landlock_allow(rules, allowed, LANDLOCK_READ) < 0) ||
		    landlock_enforce(rules) < 0)
			_exit(EINVAL);
		_exit(openat(folder, "clip", O_RDONLY | O_CLOEXEC) < 0 ? errno
								       : 0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	(void)close(rules);
	return WEXITSTATUS(status);
}

/* Landlock judges the place of the file. */
Test(hidden, a_descriptor_of_a_folder_opens_no_file_below_it)
{
	char path[] = "/tmp/test-hidden-XXXXXX";
	int folder, fd;

	if (landlock_version() == 0)
		cr_skip_test("this kernel has no Landlock");
	cr_assert_not_null(mkdtemp(path));
	folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = openat(folder, "clip", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	cr_assert_geq(fd, 0);
	cr_assert_eq(open_below(folder, NULL), EACCES);
	cr_assert_eq(open_below(folder, path), 0);
	(void)unlinkat(folder, "clip", 0);
	(void)rmdir(path);
	(void)close(fd);
	(void)close(folder);
}
