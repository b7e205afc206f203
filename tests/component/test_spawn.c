/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Children that cannot be watched, because no descriptor is left, and the text
 * of an end. */
#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/util.h"
#include "common/supervise/handover.h"
#include "common/supervise/spawn.h"
#include "common/supervise/trial.h"
#include "tests/component/rig.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

int __wrap_pidfd_open(pid_t, unsigned);
pid_t __real_waitpid(pid_t, int *, int);
pid_t __wrap_waitpid(pid_t, int *, int);

static bool loop_waited;

int __wrap_pidfd_open(pid_t pid, unsigned flags)
{
	(void)pid, (void)flags;
	errno = EMFILE;
	return -1;
}

/* For the thread of the loop, the kernel holds every child. */
pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	if (gettid() != getpid())
		return __real_waitpid(pid, status, options);
	if ((options & WNOHANG) == 0)
		loop_waited = true;
	return 0;
}

static bool no_child(void *arg)
{
	(void)arg;
	return rig_count_children() == 0;
}

static void expect_reaped(struct ev_loop *loop)
{
	cr_assert_not(loop_waited);
	rig_run_until(loop, no_child, NULL, 5000, "a thread reaps the child");
	ev_loop_destroy(loop);
}

static void on_child_end(struct child *child, const struct child_end *end,
			 void *arg)
{
	(void)child, (void)end, (void)arg;
	cr_assert_fail("the child was watched");
}

Test(spawn, a_worker_without_a_pidfd_never_blocks_the_loop, .timeout = 90)
{
	struct ev_loop *loop = ev_loop_new(0);
	struct spawner *s = spawner_new(loop, rig_built("sluice-worker"));
	int fds[2], err = 0;

	cr_assert_eq(fd_seqpacket_pair(fds), 0);
	cr_assert_null(child_start(s, &(struct child_start){
		.role = "stream", .object = "a001", .channel_fd = fds[1] },
		on_child_end, NULL, &err));
	cr_assert_eq(err, -EMFILE);
	expect_reaped(loop);
}

static void on_trial_end(const char *error, int code, void *arg)
{
	(void)error, (void)code, (void)arg;
	cr_assert_fail("the trial was watched");
}

Test(spawn, a_trial_without_a_pidfd_never_blocks_the_loop, .timeout = 90)
{
	struct ev_loop *loop = ev_loop_new(0);
	uint64_t last = 0;
	struct handover *h = handover_new(&last);
	char *const argv[] = { (char *)(uintptr_t)"sleep", NULL };
	struct errmsg error = { 0 };

	cr_assert_null(trial_start(&(struct trial_config){
		.loop = loop, .program = "/bin/sleep", .argv = argv,
		.handover = h, .on_end = on_trial_end }, &error));
	cr_assert_not_null(strstr(error.text, strerror(EMFILE)), "%s",
			   error.text);
	handover_free(&h);
	expect_reaped(loop);
}

/* A signal of somebody else may be the reason as well. */
Test(spawn, a_kill_is_only_perhaps_for_lack_of_memory)
{
	static const struct {
		struct child_end end;
		const char *text;
	} cases[] = {
		{ { .code = ALLOC_EXIT_CODE, .no_memory = true },
		  "exit code 100, out of memory" },
		{ { .code = -1, .signal = SIGKILL, .no_memory = true },
		  "killed by signal 9 (Killed), perhaps out of memory" },
		{ { .code = -1, .signal = SIGKILL },
		  "killed by signal 9 (Killed)" },
	};
	char text[128];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		child_end_format(&cases[i].end, text, sizeof text);
		cr_expect_str_eq(text, cases[i].text);
	}
}
