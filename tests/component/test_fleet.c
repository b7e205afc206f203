/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real fleet with workers that behave as their name says. */
#include "common/fd.h"
#include "common/mono.h"
#include "common/sockaddr.h"
#include "master/supervise/fleet.h"
#include "tests/component/rig.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

struct bench {
	struct ev_loop *loop;
	struct fleet *fleet;
	unsigned statuses; /* of the stream "good" */
	unsigned stopped;
};

static void on_stream_status(const char *id,
			     const struct msg_stream_status *status, void *arg)
{
	struct bench *b = arg;

	(void)status;
	b->statuses += strcmp(id, "good") == 0;
}

static void on_stopped(void *arg)
{
	struct bench *b = arg;

	b->stopped++;
	fleet_free(&b->fleet);
}

static const struct fleet_events events = {
	.on_stream_status = on_stream_status,
	.on_stopped = on_stopped,
};

static void setup(struct bench *b)
{
	*b = (struct bench){ .loop = ev_loop_new(0) };
	rig_keep_log();
	(void)signal(SIGPIPE, SIG_IGN);
	b->fleet = fleet_new(&(struct fleet_config){
		.loop = b->loop,
		.worker_path = rig_built("tests/component/fake_worker"),
		.events = &events,
		.arg = b,
	});
}

static bool is_stopped(void *arg)
{
	return ((struct bench *)arg)->stopped > 0;
}

static void teardown(struct bench *b)
{
	if (b->fleet != NULL) {
		fleet_stop(b->fleet);
		rig_run_until(b->loop, is_stopped, b, 5000, "stopped");
	}
	cr_assert_eq(b->stopped, 1);
	cr_assert_eq(rig_count_children(), 0, "an orphan is left");
	ev_loop_destroy(b->loop);
}

static void set(struct bench *b, const char *id, const char *output)
{
	json_t *stream = json_pack("{s:s, s:s, s:b, s:[s], s:[]}", "id", id,
				   "name", id, "enable", 1, "input",
				   "udp://127.0.0.1:1", "output");

	if (output != NULL)
		json_array_append_new(json_object_get(stream, "output"),
				      json_string(output));
	fleet_set_stream(b->fleet, id, stream);
	json_decref(stream);
}

static struct fleet_stream get(struct bench *b, const char *id)
{
	struct fleet_stream s;

	cr_assert(fleet_get_stream(b->fleet, id, &s), "%s is not known", id);
	return s;
}

/* --- what is waited for --- */

struct wish {
	struct bench *bench;
	const char *id;
	const char *state;
	int not_pid;
	unsigned count;
};

static bool is_in_state(void *arg)
{
	struct wish *w = arg;
	struct fleet_stream s = get(w->bench, w->id);

	return strcmp(s.state, w->state) == 0 && s.pid != w->not_pid;
}

static void await(struct bench *b, const char *id, const char *state,
		  int not_pid, unsigned ms)
{
	struct wish w = { b, id, state, not_pid, 0 };

	rig_run_until(b->loop, is_in_state, &w, ms, state);
}

static bool has_ended(void *arg)
{
	struct wish *w = arg;

	return get(w->bench, w->id).restarts >= w->count;
}

static void await_ends(struct bench *b, const char *id, unsigned n,
		       unsigned ms)
{
	struct wish w = { .bench = b, .id = id, .count = n };

	rig_run_until(b->loop, has_ended, &w, ms, "it ends");
}

static bool has_status(void *arg)
{
	struct wish *w = arg;

	return w->bench->statuses >= w->count;
}

static void await_statuses(struct bench *b, unsigned n)
{
	struct wish w = { .bench = b, .count = b->statuses + n };

	rig_run_until(b->loop, has_status, &w, 5000, "status goes on");
}

static bool has_no_children(void *arg)
{
	(void)arg;
	return rig_count_children() == 0;
}

/* --- the tests --- */

Test(fleet, starts_restarts_and_removes_a_stream, .timeout = 30)
{
	struct fleet_stream s;
	struct bench b;
	int pid;

	setup(&b);
	set(&b, "good", NULL);
	await(&b, "good", "running", 0, 5000);
	await_statuses(&b, 3);
	s = get(&b, "good");
	pid = s.pid;
	cr_assert_eq(rig_find_child("sluice-worker stream good"), pid);
	cr_assert_null(s.alarm);

	/* the same again changes nothing */
	set(&b, "good", NULL);
	rig_run_for(b.loop, 100);
	cr_assert_eq(get(&b, "good").pid, pid);

	fleet_restart_stream(b.fleet, "good");
	await(&b, "good", "running", pid, 5000);
	pid = get(&b, "good").pid;

	/* a changed stream has a new worker */
	set(&b, "good", "udp://127.0.0.1:9");
	await(&b, "good", "running", pid, 5000);
	cr_assert_eq(get(&b, "good").restarts, 0);

	fleet_remove_stream(b.fleet, "good");
	cr_assert(!fleet_get_stream(b.fleet, "good", &s));
	rig_run_until(b.loop, has_no_children, NULL, 5000, "it is gone");
	teardown(&b);
}

Test(fleet, a_removed_stream_that_comes_back_runs_again, .timeout = 30)
{
	struct bench b;

	setup(&b);
	set(&b, "good", NULL);
	await(&b, "good", "running", 0, 5000);
	fleet_remove_stream(b.fleet, "good");
	set(&b, "good", NULL);
	await_statuses(&b, 3);
	cr_assert_eq(rig_count_children(), 1);
	teardown(&b);
}

Test(fleet, a_disabled_stream_stops, .timeout = 30)
{
	json_t *off = json_pack("{s:b, s:[], s:[]}", "enable", 0, "input",
				"output");
	struct bench b;

	setup(&b);
	set(&b, "good", NULL);
	await(&b, "good", "running", 0, 5000);
	fleet_set_stream(b.fleet, "good", off);
	await(&b, "good", "stopped", -1, 5000);
	cr_assert_eq(rig_count_children(), 0);
	fleet_restart_stream(b.fleet, "good");
	cr_assert_str_eq(get(&b, "good").state, "stopped");
	json_decref(off);
	teardown(&b);
}

Test(fleet, a_killed_worker_is_back_within_a_second_and_a_half,
     .timeout = 30)
{
	struct bench b;
	uint64_t since;
	int pid;

	setup(&b);
	set(&b, "good", NULL);
	await(&b, "good", "running", 0, 5000);
	pid = get(&b, "good").pid;
	since = mono_ms();
	cr_assert_eq(kill(pid, SIGKILL), 0);
	await(&b, "good", "running", pid, 1500);
	cr_assert_leq(mono_ms() - since, 1500);
	cr_assert_eq(get(&b, "good").restarts, 1);
	teardown(&b);
}

Test(fleet, a_stopped_worker_is_back_within_five_seconds, .timeout = 30)
{
	struct bench b;
	int pid;

	setup(&b);
	set(&b, "good", NULL);
	set(&b, "hangs", NULL);
	set(&b, "stubborn-hangs", NULL);
	await(&b, "good", "running", 0, 5000);
	pid = get(&b, "good").pid;
	cr_assert_eq(kill(pid, SIGSTOP), 0);
	await(&b, "good", "running", pid, 5000);
	await_ends(&b, "hangs", 1, 1000);
	await_ends(&b, "stubborn-hangs", 1, 1000);
	cr_assert_gt(rig_count_log("stream hangs: killed by signal 6"), 0);
	cr_assert_gt(rig_count_log("stream stubborn-hangs: killed by "
				   "signal 9 (Killed): no status for 3 s"), 0);
	teardown(&b);
}

Test(fleet, whoever_breaks_the_rules_ends_and_the_others_do_not,
     .timeout = 30)
{
	static const char *const rude[] = {
		"rude", "foreign", "old", "garbage", "impostor", "twice",
		"huge", "gives", "floods", "leaves", "crashes",
	};
	struct bench b;
	int pid;

	setup(&b);
	set(&b, "good", NULL);
	await(&b, "good", "running", 0, 5000);
	pid = get(&b, "good").pid;
	for (size_t i = 0; i < ARRAY_LEN(rude); i++)
		set(&b, rude[i], NULL);
	for (size_t i = 0; i < ARRAY_LEN(rude); i++)
		await_ends(&b, rude[i], 1, 5000);
	await_statuses(&b, 3);
	cr_assert_eq(get(&b, "good").pid, pid);
	cr_assert_gt(rig_count_log("stream rude: killed by signal 9 (Killed): "
				   "stream.status out of its turn"), 0);
	cr_assert_gt(rig_count_log("stream old: killed by signal 9 (Killed): "
				   "speaks version 999"), 0);
	cr_assert_gt(rig_count_log("stream impostor: killed by signal 9 "
				   "(Killed): says deliver.status"), 0);
	cr_assert_gt(rig_count_log("a flood of messages"), 0);
	teardown(&b);
}

Test(fleet, a_chatterbox_is_cut_short_and_cleaned, .timeout = 30)
{
	struct bench b;

	setup(&b);
	set(&b, "chatters", NULL);
	await(&b, "chatters", "running", 0, 5000);
	rig_run_for(b.loop, 1000);
	cr_assert_str_eq(get(&b, "chatters").state, "running");
	cr_assert_eq(rig_count_log("info stream chatters: x: blah"), 20);
	cr_assert_eq(rig_count_log("\x1b"), 0);
	cr_assert_eq(rig_count_log("\xc2\x9b"), 0);
	cr_assert_eq(rig_count_log("2J line\n"), 20);
	teardown(&b);
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
	return rig_count_log("left behind in the kernel, has ended") > 0;
}

Test(fleet, one_that_is_stuck_in_the_kernel_is_left_behind, .timeout = 40)
{
	char folder[128], tasks[160], state[160], number[16];
	struct bench b;
	int pid;

	(void)snprintf(folder, sizeof folder, FREEZER "/fleet-test-%d",
		       (int)getpid());
	(void)snprintf(tasks, sizeof tasks, "%s/tasks", folder);
	(void)snprintf(state, sizeof state, "%s/freezer.state", folder);
	if (access(FREEZER "/tasks", W_OK) < 0 || mkdir(folder, 0700) < 0)
		cr_skip_test("no freezer to get stuck in");

	setup(&b);
	set(&b, "good", NULL);
	await(&b, "good", "running", 0, 5000);
	pid = get(&b, "good").pid;
	(void)snprintf(number, sizeof number, "%d", pid);
	cr_assert(write_file(tasks, number));
	cr_assert(write_file(state, "FROZEN"));

	/* 3 s without a beat, 0.5 s after SIGABRT, 5 s after SIGKILL */
	await(&b, "good", "running", pid, 12000);
	cr_assert_eq(rig_count_children(), 2);
	cr_assert_eq(rig_count_log("is stuck in the kernel and left behind"),
		     2);
	cr_assert(write_file(state, "THAWED"));
	rig_run_until(b.loop, has_left_log, NULL, 5000, "it ends at last");
	cr_assert_eq(rig_count_children(), 1);
	teardown(&b);
	(void)rmdir(folder);
}

static double cpu_s(int who)
{
	struct rusage u;

	cr_assert_eq(getrusage(who, &u), 0);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

Test(fleet, one_that_dies_at_every_start_ends_in_quarantine, .timeout = 40)
{
	struct fleet_stream s;
	struct bench b;
	double before;

	setup(&b);
	set(&b, "dies", NULL);
	before = cpu_s(RUSAGE_SELF) + cpu_s(RUSAGE_CHILDREN);
	await(&b, "dies", "backoff", -1, 5000);
	/* 1 + 1 + 2 + 4 s, 20 % more or less */
	await(&b, "dies", "quarantine", -1, 12000);
	s = get(&b, "dies");
	cr_assert_eq(s.restarts, 5);
	cr_assert_eq(s.pid, 0);
	cr_assert_not_null(s.alarm);
	cr_assert_not_null(strstr(s.alarm, "exit code 3"), "%s", s.alarm);
	cr_assert_eq(rig_count_log("alarm:"), 1);
	cr_assert_lt(cpu_s(RUSAGE_SELF) + cpu_s(RUSAGE_CHILDREN) - before,
		     0.5);

	/* by hand it is tried at once, with a clean slate */
	fleet_restart_stream(b.fleet, "dies");
	await_ends(&b, "dies", 6, 5000);
	s = get(&b, "dies");
	cr_assert_str_neq(s.state, "quarantine");
	cr_assert_null(s.alarm);
	teardown(&b);
}

Test(fleet, a_worker_that_cannot_be_started_is_named, .timeout = 30)
{
	struct bench b;

	setup(&b);
	fleet_free(&b.fleet);
	b.fleet = fleet_new(&(struct fleet_config){
		.loop = b.loop,
		.worker_path = "/nowhere/sluice-worker",
		.events = &events,
		.arg = &b,
	});
	set(&b, "good", NULL);
	await_ends(&b, "good", 1, 1000);
	cr_assert_eq(get(&b, "good").pid, 0);
	cr_assert_gt(rig_count_log("cannot be started: No such file"), 0);
	teardown(&b);
}

Test(fleet, sixty_stop_together_the_deaf_ones_too, .timeout = 30)
{
	unsigned workers, viewers;
	struct bench b;
	uint64_t since;
	char id[32];

	setup(&b);
	for (int i = 0; i < 60; i++) {
		(void)snprintf(id, sizeof id, "%s-%d",
			       i % 10 == 0 ? "stubborn" : "good", i);
		set(&b, id, i % 3 == 0 ? "http://127.0.0.1:18741/x" : NULL);
	}
	for (int i = 0; i < 60; i++) {
		(void)snprintf(id, sizeof id, "%s-%d",
			       i % 10 == 0 ? "stubborn" : "good", i);
		await(&b, id, "running", 0, 4000);
	}
	fleet_totals(b.fleet, &workers, &viewers);
	cr_assert_eq(workers, 61);
	since = mono_ms();
	fleet_stop(b.fleet);
	rig_run_until(b.loop, is_stopped, &b, 5000, "stopped");
	cr_assert_lt(mono_ms() - since, 4000);
	teardown(&b);
}

Test(fleet, stops_in_the_middle_of_the_start, .timeout = 30)
{
	struct bench b;
	char id[32];

	setup(&b);
	for (int i = 0; i < 60; i++) {
		(void)snprintf(id, sizeof id, "good-%d", i);
		set(&b, id, NULL);
	}
	rig_run_for(b.loop, 30);
	teardown(&b);
}

/* --- deliver --- */

static int listen_somewhere(char *url, size_t size)
{
	struct sockaddr_any any;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	cr_assert_eq(sockaddr_parse("127.0.0.1", 0, &any), 0);
	cr_assert_eq(bind(fd, &any.sa, any.len), 0);
	cr_assert_eq(listen(fd, 1), 0);
	cr_assert_eq(getsockname(fd, &any.sa, &any.len), 0);
	(void)snprintf(url, size, "http://127.0.0.1:%u/good",
		       sockaddr_port(&any));
	return fd;
}

static int connect_to(const char *url)
{
	unsigned port = 0;
	struct sockaddr_any any;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int err;

	cr_assert_eq(sscanf(url, "http://127.0.0.1:%u/", &port), 1);
	cr_assert_eq(sockaddr_parse("127.0.0.1", (uint16_t)port, &any), 0);
	err = connect(fd, &any.sa, any.len) < 0 ? -errno : 0;
	(void)close(fd);
	return err;
}

static bool has_viewers(void *arg)
{
	struct wish *w = arg;
	struct fleet_stream s = get(w->bench, w->id);

	return s.viewers > 0 && s.viewers_cut == w->count;
}

static bool has_lost_deliver_twice(void *arg)
{
	(void)arg;
	return rig_count_log("deliver 1: killed by signal 9") == 2;
}

static bool is_served(void *arg)
{
	struct wish *w = arg;

	return get(w->bench, w->id).output_errors[0] == NULL;
}

Test(fleet, a_port_in_use_is_named_and_tried_again, .timeout = 30)
{
	struct wish served = { .id = "good" };
	struct fleet_stream s;
	struct bench b;
	char url[64];
	int fd = listen_somewhere(url, sizeof url);

	setup(&b);
	served.bench = &b;
	set(&b, "good", url);
	await(&b, "good", "running", 0, 5000);
	s = get(&b, "good");
	cr_assert_eq(s.n_outputs, 1);
	cr_assert_not_null(s.output_errors[0]);
	cr_assert_not_null(strstr(s.output_errors[0], strerror(EADDRINUSE)));
	rig_run_for(b.loop, 2500);
	cr_assert_eq(rig_count_log(strerror(EADDRINUSE)), 1);

	(void)close(fd);
	rig_run_until(b.loop, is_served, &served, 2500, "the port is taken");
	cr_assert_eq(connect_to(url), 0);
	teardown(&b);
}

Test(fleet, a_dead_deliver_refuses_nobody_and_gets_all_again, .timeout = 30)
{
	struct wish seen = { .id = "good", .count = 1 };
	struct bench b;
	char url[64];
	int fd = listen_somewhere(url, sizeof url);
	pid_t pid;

	(void)close(fd);
	setup(&b);
	seen.bench = &b;
	set(&b, "good", url);
	rig_run_until(b.loop, has_viewers, &seen, 5000, "it is mounted");
	cr_assert_eq(connect_to(url), 0);

	pid = rig_find_child("sluice-worker deliver 1");
	cr_assert_gt(pid, 0);
	cr_assert_eq(kill(pid, SIGKILL), 0);
	for (int i = 0; i < 20; i++)
		cr_assert_eq(connect_to(url), 0);
	/* what the dead one counted is not forgotten */
	seen.count = 2;
	rig_run_until(b.loop, has_viewers, &seen, 1500, "it is mounted again");
	cr_assert_eq(get(&b, "good").restarts, 0);

	/* the last http output takes it away */
	set(&b, "good", NULL);
	await(&b, "good", "running", get(&b, "good").pid, 5000);
	cr_assert_eq(connect_to(url), -ECONNREFUSED);
	rig_run_for(b.loop, 300);
	cr_assert_eq(rig_find_child("sluice-worker deliver 1"), 0);
	teardown(&b);
}

Test(fleet, a_restart_by_hand_wakes_a_waiting_deliver_too, .timeout = 30)
{
	struct wish seen = { .id = "good", .count = 2 };
	struct bench b;
	char url[64];
	int fd = listen_somewhere(url, sizeof url);
	pid_t pid;

	(void)close(fd);
	setup(&b);
	seen.bench = &b;
	set(&b, "good", url);
	/* the second end is followed by at least 800 ms of waiting */
	for (int i = 0; i < 2; i++) {
		struct wish mounted = { &b, "good", NULL, 0, (unsigned)i + 1 };

		rig_run_until(b.loop, has_viewers, &mounted, 5000, "mounted");
		pid = rig_find_child("sluice-worker deliver 1");
		cr_assert_eq(kill(pid, SIGKILL), 0);
	}
	rig_run_until(b.loop, has_lost_deliver_twice, NULL, 5000, "it waits");
	fleet_restart_stream(b.fleet, "good");
	seen.count = 3;
	rig_run_until(b.loop, has_viewers, &seen, 700, "it is back");
	teardown(&b);
}

Test(fleet, a_path_has_one_stream_at_a_time, .timeout = 30)
{
	struct wish served = { .id = "second" };
	struct bench b;
	char url[64];
	int fd = listen_somewhere(url, sizeof url);

	(void)close(fd);
	setup(&b);
	served.bench = &b;
	set(&b, "good", url);
	set(&b, "second", url);
	cr_assert_null(get(&b, "good").output_errors[0]);
	cr_assert_not_null(get(&b, "second").output_errors[0]);
	fleet_remove_stream(b.fleet, "good");
	cr_assert(is_served(&served));
	teardown(&b);
}
