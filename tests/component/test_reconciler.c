/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The streams of the reconciler, with workers good and bad. */
#include "common/base/mono.h"
#include "common/base/shared.h"
#include "proto/ipc/contract.h"
#include "tests/component/reconciler_bench.h"
#include "tests/component/rig.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool has_one_child(void *arg)
{
	(void)arg;
	return rig_count_children() == 1;
}

static bool has_no_children(void *arg)
{
	(void)arg;
	return rig_count_children() == 0;
}

Test(reconciler, starts_restarts_and_removes_a_stream, .timeout = 90)
{
	struct stream_proc_info s;
	struct reconciler_bench b;
	int pid;

	bench_setup(&b);
	bench_set(&b, "good", NULL);
	bench_await(&b, "good", "running", 0, 5000);
	bench_await_statuses(&b, 3);
	s = bench_get(&b, "good");
	pid = s.pid;
	cr_assert_eq(rig_find_child("sluice-worker stream good"), pid);
	cr_assert_null(s.alarm);

	/* the same again changes nothing */
	bench_set(&b, "good", NULL);
	rig_run_for(b.loop, 100);
	cr_assert_eq(bench_get(&b, "good").pid, pid);

	reconciler_restart_stream(b.reconciler, "good");
	bench_await(&b, "good", "running", pid, 5000);
	pid = bench_get(&b, "good").pid;

	/* a changed stream has a new worker */
	bench_set(&b, "good", "udp://127.0.0.1:9");
	bench_await(&b, "good", "running", pid, 5000);
	cr_assert_eq(bench_get(&b, "good").restarts, 0);

	reconciler_remove_stream(b.reconciler, "good");
	cr_assert(!reconciler_get_stream(b.reconciler, "good", &s));
	rig_run_until(b.loop, has_no_children, NULL, 5000, "it is gone");
	bench_teardown(&b);
}

Test(reconciler, a_stream_that_is_removed_and_added_runs, .timeout = 90)
{
	struct reconciler_bench b;

	bench_setup(&b);
	bench_set(&b, "good", NULL);
	bench_await(&b, "good", "running", 0, 5000);
	reconciler_remove_stream(b.reconciler, "good");
	bench_set(&b, "good", NULL);
	bench_await_statuses(&b, 3);
	rig_run_until(b.loop, has_one_child, NULL, 5000, "the old one ends");
	bench_teardown(&b);
}

Test(reconciler, a_disabled_stream_stops, .timeout = 90)
{
	json_t *off =
		json_pack("{s:b, s:[], s:[]}", "enable", 0, "input", "output");
	struct reconciler_bench b;

	bench_setup(&b);
	bench_set(&b, "good", NULL);
	bench_await(&b, "good", "running", 0, 5000);
	bench_set_stream(&b, "good", off);
	bench_await(&b, "good", "stopped", -1, 5000);
	cr_assert_eq(rig_count_children(), 0);
	reconciler_restart_stream(b.reconciler, "good");
	cr_assert_str_eq(bench_get(&b, "good").state, "stopped");
	json_decref(off);
	bench_teardown(&b);
}

/* The memory of the only stream: a descriptor of this process; -1: none. */
static int find_stream_memory(void)
{
	for (int fd = 0; fd < 1024; fd++) {
		char path[32], name[32];
		ssize_t n;

		(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		n = readlink(path, name, sizeof name);
		if (n > 0 && strncmp(name, "/memfd:stream ", 14) == 0 &&
		    shared_size(fd) == STREAM_MEMORY_SIZE)
			return fd;
	}
	return -1;
}

static size_t memory_in_use(int fd)
{
	struct stat st;

	cr_assert_eq(fstat(fd, &st), 0);
	return (size_t)st.st_blocks * 512;
}

Test(reconciler, a_disabled_stream_keeps_no_memory_for_packets, .timeout = 90)
{
	/* to the first packets of the first queue */
	enum { USED = STREAM_MEMORY_QUEUES_AT + 256 * 1024 };
	static char full[USED];
	json_t *off =
		json_pack("{s:b, s:[], s:[]}", "enable", 0, "input", "output");
	struct reconciler_bench b;
	int fd;

	bench_setup(&b);
	bench_set(&b, "good", NULL);
	bench_await(&b, "good", "running", 0, 5000);
	fd = find_stream_memory();
	cr_assert_geq(fd, 0);
	memset(full, 7, sizeof full);
	cr_assert_eq(pwrite(fd, full, sizeof full, 0), (ssize_t)sizeof full);
	cr_assert_eq(memory_in_use(fd), (size_t)USED);
	bench_set_stream(&b, "good", off);
	bench_await(&b, "good", "stopped", -1, 5000);
	cr_assert_eq(find_stream_memory(), fd);
	cr_assert_eq(memory_in_use(fd), (size_t)STREAM_MEMORY_LASTING);
	json_decref(off);
	bench_teardown(&b);
}

Test(reconciler, a_killed_worker_is_replaced_within_a_second_and_a_half,
     .timeout = 90)
{
	struct reconciler_bench b;
	uint64_t since;
	int pid;

	bench_setup(&b);
	bench_set(&b, "good", NULL);
	bench_await(&b, "good", "running", 0, 5000);
	pid = bench_get(&b, "good").pid;
	since = mono_ms();
	cr_assert_eq(kill(pid, SIGKILL), 0);
	bench_await(&b, "good", "running", pid, 1500);
	cr_assert(mono_ms() - since <= 1500 || rig_is_busy());
	cr_assert_eq(bench_get(&b, "good").restarts, 1);
	bench_teardown(&b);
}

static bool has_aborted(void *arg)
{
	(void)arg;
	return rig_count_log("stream hangs: no status for 3 s: killed by "
			     "signal 6") > 0;
}

Test(reconciler,
     a_stopped_worker_is_replaced_within_five_seconds, .timeout = 90)
{
	struct reconciler_bench b;
	int pid;

	bench_setup(&b);
	bench_set(&b, "good", NULL);
	bench_set(&b, "hangs", NULL);
	bench_set(&b, "stubborn-hangs", NULL);
	bench_await(&b, "good", "running", 0, 5000);
	pid = bench_get(&b, "good").pid;
	cr_assert_eq(kill(pid, SIGSTOP), 0);
	bench_await(&b, "good", "running", pid, 5000);
	bench_await_ends(&b, "hangs", 1, 1000);
	bench_await_ends(&b, "stubborn-hangs", 1, 1000);
	/* at the first time, if it gets a core within half a second */
	rig_run_until(b.loop, has_aborted, NULL, 5000, "SIGABRT ends it");
	cr_assert_gt(rig_count_log("stream stubborn-hangs: no status for 3 "
				   "s: killed by signal 9 (Killed)"),
	             0);
	bench_teardown(&b);
}

Test(reconciler, a_worker_that_breaks_the_protocol_ends_and_the_others_do_not,
     .timeout = 90)
{
	static const char *const rude[] = {
		"rude", "foreign", "old",    "garbage", "impostor", "twice",
		"huge", "gives",   "floods", "leaves",  "crashes",
		"hurries",
	};
	struct reconciler_bench b;
	int pid;

	bench_setup(&b);
	bench_set(&b, "good", NULL);
	bench_await(&b, "good", "running", 0, 5000);
	pid = bench_get(&b, "good").pid;
	for (size_t i = 0; i < ARRAY_LEN(rude); i++)
		bench_set(&b, rude[i], NULL);
	for (size_t i = 0; i < ARRAY_LEN(rude); i++)
		bench_await_ends(&b, rude[i], 1, 5000);
	bench_await_statuses(&b, 3);
	cr_assert_eq(bench_get(&b, "good").pid, pid);
	cr_assert_gt(rig_count_log("stream rude: it sent stream.status "
				   "out of order"),
		     0);
	cr_assert_gt(rig_count_log("stream old: protocol version 999"),
		     0);
	cr_assert_gt(rig_count_log("stream impostor: it sent deliver"),
	             0);
	cr_assert_gt(rig_count_log("stream floods: its messages to sluice: "
				   "a flood of messages"),
		     0, "%s", rig_log());
	cr_assert_gt(rig_count_log("stream hurries: it sent "
				   "stream.status more often"),
	             0);
	bench_teardown(&b);
}

Test(reconciler, the_last_words_of_a_worker_are_logged, .timeout = 90)
{
	struct reconciler_bench b;
	siginfo_t end;

	bench_setup(&b);
	bench_set(&b, "explains", NULL);
	bench_await(&b, "explains", "running", 0, 5000);
	/* the loop finds the lines and the end at once */
	cr_assert_eq(waitid(P_PID, (id_t)bench_get(&b, "explains").pid, &end,
			    WEXITED | WNOWAIT), 0);
	bench_await_ends(&b, "explains", 1, 5000);
	cr_assert_eq(rig_count_log("error stream explains: x: why"), 10);
	bench_teardown(&b);
}

static bool has_chattered(void *arg)
{
	(void)arg;
	return rig_count_log("info stream chatters: x: blah") >= 20;
}

Test(reconciler, a_flood_of_log_lines_is_limited_and_sanitized, .timeout = 90)
{
	struct reconciler_bench b;

	bench_setup(&b);
	bench_set(&b, "chatters", NULL);
	bench_await(&b, "chatters", "running", 0, 5000);
	rig_run_until(b.loop, has_chattered, NULL, 5000, "its limit");
	rig_run_for(b.loop, 1000);
	cr_assert_str_eq(bench_get(&b, "chatters").state, "running");
	cr_assert_eq(rig_count_log("info stream chatters: x: blah"), 20);
	cr_assert_eq(rig_count_log("\x1b"), 0);
	cr_assert_eq(rig_count_log("\xc2\x9b"), 0);
	cr_assert_eq(rig_count_log("2J line\n"), 20);
	bench_teardown(&b);
}

/* The version 1 freezer holds a process as a driver would: not even SIGKILL
 * ends it. */
#define FREEZER "/sys/fs/cgroup/freezer"

static bool write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	bool ok = f != NULL && fputs(text, f) >= 0;

	if (f != NULL)
		ok = fclose(f) == 0 && ok;
	return ok;
}

static bool has_left_log(void *arg)
{
	(void)arg;
	return rig_count_log("ended, which was left behind in the kernel") > 0;
}

Test(reconciler,
     a_worker_that_hangs_in_the_kernel_is_left_behind, .timeout = 90)
{
	char folder[128], tasks[160], state[160], number[16];
	struct reconciler_bench b;
	int pid;

	(void)snprintf(folder, sizeof folder, FREEZER "/reconciler-test-%d",
		       (int)getpid());
	(void)snprintf(tasks, sizeof tasks, "%s/tasks", folder);
	(void)snprintf(state, sizeof state, "%s/freezer.state", folder);
	if (access(FREEZER "/tasks", W_OK) < 0 || mkdir(folder, 0700) < 0)
		cr_skip_test("no freezer to get stuck in");

	bench_setup(&b);
	bench_set(&b, "good", NULL);
	bench_await(&b, "good", "running", 0, 5000);
	pid = bench_get(&b, "good").pid;
	(void)snprintf(number, sizeof number, "%d", pid);
	cr_assert(write_file(tasks, number));
	cr_assert(write_file(state, "FROZEN"));

	/* 3 s without a beat, 0.5 s after SIGABRT, 5 s after SIGKILL */
	bench_await(&b, "good", "running", pid, 12000);
	cr_assert_eq(rig_count_children(), 2);
	cr_assert_eq(rig_count_log("is stuck in the kernel and left behind"),
	             2);
	cr_assert(write_file(state, "THAWED"));
	rig_run_until(b.loop, has_left_log, NULL, 5000, "it ends at last");
	cr_assert_eq(rig_count_children(), 1);
	bench_teardown(&b);
	(void)rmdir(folder);
}

static double cpu_s(void)
{
	struct rusage u;

	cr_assert_eq(getrusage(RUSAGE_SELF, &u), 0);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

Test(reconciler,
     a_worker_that_dies_at_every_start_ends_in_quarantine, .timeout = 90)
{
	struct stream_proc_info s;
	struct reconciler_bench b;
	double before;

	bench_setup(&b);
	bench_set(&b, "dies", NULL);
	before = cpu_s();
	bench_await(&b, "dies", "backoff", -1, 5000);
	/* 1 + 1 + 2 + 4 s, 20 % more or less */
	bench_await(&b, "dies", "quarantine", -1, 12000);
	s = bench_get(&b, "dies");
	cr_assert_eq(s.restarts, 5);
	cr_assert_eq(s.pid, 0);
	cr_assert_not_null(s.alarm);
	cr_assert_not_null(strstr(s.alarm, "exit code 3"), "%s", s.alarm);
	cr_assert_not_null(strstr(s.alarm, "; a change or restart-stream "
					   "starts it at once"), "%s", s.alarm);
	cr_assert_eq(rig_count_log("alarm:"), 1);
	/* the master waits and does not poll */
	cr_assert_lt(cpu_s() - before, 0.5);

	/* by hand it is tried at once, with a clean slate */
	reconciler_restart_stream(b.reconciler, "dies");
	bench_await_ends(&b, "dies", 6, 5000);
	s = bench_get(&b, "dies");
	cr_assert_str_neq(s.state, "quarantine");
	cr_assert_null(s.alarm);
	bench_teardown(&b);
}

Test(reconciler, a_worker_that_cannot_be_started_is_named, .timeout = 90)
{
	struct reconciler_bench b;

	bench_setup_with(&b, "/nowhere/sluice-worker");
	bench_set(&b, "good", NULL);
	bench_await_ends(&b, "good", 1, 1000);
	cr_assert_eq(bench_get(&b, "good").pid, 0);
	cr_assert_gt(rig_count_log("cannot start: No such file"), 0);
	bench_teardown(&b);
}

static bool has_alarm(void *arg)
{
	struct wish *w = arg;

	return bench_get(w->bench, w->id).alarm != NULL;
}

/* From now on a descriptor has to be less than n. */
static void limit_files(int n)
{
	struct rlimit files;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &files), 0);
	files.rlim_cur = (rlim_t)n;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
}

static int next_file(void)
{
	int fd = dup(STDERR_FILENO);

	cr_assert_geq(fd, 0);
	(void)close(fd);
	return fd;
}

Test(reconciler, lack_of_descriptors_is_no_failure_of_the_worker, .timeout = 90)
{
	struct wish alarm = { .id = "good" };
	struct stream_proc_info s;
	struct reconciler_bench b;
	int next;

	bench_setup(&b);
	alarm.bench = &b;
	/* enough for the stream's memory, not for a worker */
	next = next_file();
	limit_files(next + 2);
	bench_set(&b, "good", NULL);
	rig_run_until(b.loop, has_alarm, &alarm, 5000, "an alarm");
	s = bench_get(&b, "good");
	cr_assert_not_null(strstr(s.alarm, strerror(EMFILE)), "%s", s.alarm);
	/* six tries, one line */
	rig_run_for(b.loop, 6000);
	cr_assert_eq(rig_count_log("alarm:"), 1);
	limit_files(next + 64);
	bench_await(&b, "good", "running", 0, 2000);
	s = bench_get(&b, "good");
	cr_assert_null(s.alarm);
	cr_assert_eq(s.restarts, 0);
	bench_teardown(&b);
}

Test(reconciler, a_disabled_stream_has_no_alarm_about_its_starts,
     .timeout = 90)
{
	json_t *off =
		json_pack("{s:b, s:[], s:[]}", "enable", 0, "input", "output");
	struct wish alarm = { .id = "good" };
	struct reconciler_bench b;
	int next;

	bench_setup(&b);
	alarm.bench = &b;
	next = next_file();
	limit_files(next + 2);
	bench_set(&b, "good", NULL);
	rig_run_until(b.loop, has_alarm, &alarm, 5000, "an alarm");
	bench_set_stream(&b, "good", off);
	bench_await(&b, "good", "stopped", -1, 5000);
	cr_assert_null(bench_get(&b, "good").alarm);
	cr_assert_eq(rig_count_log("alarm cleared"), 1);
	limit_files(next + 64);
	json_decref(off);
	bench_teardown(&b);
}

Test(reconciler,
     sixty_workers_stop_together_with_those_that_ignore_signals, .timeout = 90)
{
	unsigned workers, viewers;
	struct reconciler_bench b;
	uint64_t since;
	char id[32], url[64];

	(void)snprintf(url, sizeof url, "http://%s:8000/x", rig_host());
	bench_setup(&b);
	for (int i = 0; i < 60; i++) {
		(void)snprintf(id, sizeof id, "%s-%d",
		               i % 10 == 0 ? "stubborn" : "good", i);
		bench_set(&b, id, i % 3 == 0 ? url : NULL);
	}
	for (int i = 0; i < 60; i++) {
		(void)snprintf(id, sizeof id, "%s-%d",
		               i % 10 == 0 ? "stubborn" : "good", i);
		bench_await(&b, id, "running", 0, 4000);
	}
	reconciler_totals(b.reconciler, &workers, &viewers);
	cr_assert_eq(workers, 61);
	since = mono_ms();
	reconciler_stop(b.reconciler);
	rig_run_until(b.loop, bench_is_stopped, &b, 5000, "stopped");
	cr_assert(mono_ms() - since < 4000 || rig_is_busy());
	bench_teardown(&b);
}

Test(reconciler, stops_during_the_start, .timeout = 90)
{
	struct reconciler_bench b;
	char id[32];

	bench_setup(&b);
	for (int i = 0; i < 60; i++) {
		(void)snprintf(id, sizeof id, "good-%d", i);
		bench_set(&b, id, NULL);
	}
	rig_run_for(b.loop, 30);
	bench_teardown(&b);
}
