/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The viewers' ports and deliver, as the reconciler keeps them. */
#include "common/base/mono.h"
#include "common/base/sockaddr.h"
#include "tests/component/reconciler_bench.h"
#include "tests/component/rig.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Where the viewers of the stream "good" come to. */
static void name_url(char *url, size_t size)
{
	(void)snprintf(url, size, "http://%s:8000/good", rig_host());
}

static void find_address(struct sockaddr_any *ret)
{
	cr_assert_eq(sockaddr_parse(rig_host(), 8000, ret), 0);
}

/* Somebody else's socket there, or -errno. */
static int occupy(void)
{
	struct sockaddr_any any;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int on = 1;

	find_address(&any);
	cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on),
	             0);
	if (bind(fd, &any.sa, any.len) == 0 && listen(fd, 1) == 0)
		return fd;
	(void)close(fd);
	return -EADDRINUSE;
}

static int connect_there(void)
{
	struct sockaddr_any any;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int err;

	find_address(&any);
	err = connect(fd, &any.sa, any.len) < 0 ? -errno : 0;
	(void)close(fd);
	return err;
}

static bool has_viewers(void *arg)
{
	struct wish *w = arg;
	struct stream_proc_info s = bench_get(w->bench, w->id);

	return s.viewers > 0 && s.viewers_cut == w->count;
}

static bool has_lost_deliver_twice(void *arg)
{
	(void)arg;
	return rig_count_log("deliver 1: killed by signal 9") == 2;
}

static bool has_no_deliver(void *arg)
{
	(void)arg;
	return rig_find_child("sluice-worker deliver 1") == 0;
}

static bool is_served(void *arg)
{
	struct wish *w = arg;

	return bench_get(w->bench, w->id).output_errors[0] == NULL;
}

Test(reconciler_viewers, a_port_in_use_is_named_and_retried, .timeout = 90)
{
	struct wish served = { .id = "good" };
	struct stream_proc_info s;
	struct reconciler_bench b;
	char url[64];
	int fd = occupy();

	cr_assert_geq(fd, 0);
	name_url(url, sizeof url);
	bench_setup(&b);
	served.bench = &b;
	bench_set(&b, "good", url);
	bench_await(&b, "good", "running", 0, 5000);
	s = bench_get(&b, "good");
	cr_assert_eq(s.n_outputs, 1);
	cr_assert_not_null(s.output_errors[0]);
	cr_assert_not_null(strstr(s.output_errors[0], strerror(EADDRINUSE)));
	rig_run_for(b.loop, 2500);
	cr_assert_eq(rig_count_log(strerror(EADDRINUSE)), 1);

	(void)close(fd);
	rig_run_until(b.loop, is_served, &served, 2500, "the port is taken");
	cr_assert_eq(connect_there(), 0);
	/* and is not tried again while it is ours */
	rig_run_for(b.loop, 2500);
	cr_assert(is_served(&served));
	cr_assert_eq(rig_count_log(strerror(EADDRINUSE)), 1);
	bench_teardown(&b);
}

static int deliver_answers(void)
{
	struct sockaddr_any any;
	struct timeval patience = { .tv_usec = 200000 };
	char answer[64] = "";
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	find_address(&any);
	cr_assert_eq(connect(fd, &any.sa, any.len), 0);
	cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
	                        sizeof patience), 0);
	cr_assert_gt(send(fd, "GET /good HTTP/1.0\r\n\r\n", 22, 0), 0);
	(void)recv(fd, answer, sizeof answer - 1, 0);
	(void)close(fd);
	return strlen(answer) < 12 ? 0 : atoi(answer + 9);
}

static bool is_answered_well(void *arg)
{
	(void)arg;
	return deliver_answers() == 200;
}

static void set_good(struct reconciler_bench *b, char *url, size_t size)
{
	name_url(url, size);
	bench_setup_with(b, rig_built("sluice-worker"));
	bench_set(b, "good", url);
	bench_await(b, "good", "running", 0, 5000);
	rig_run_until(b->loop, is_answered_well, NULL, 5000, "200");
}

/* Until no process has a socket there.  The loop stops meanwhile. */
static void await_free_port(void)
{
	uint64_t end = mono_ms() + 30000;
	int fd;

	while ((fd = occupy()) < 0) {
		cr_assert_lt(mono_ms(), end, "somebody keeps the port");
		(void)poll(NULL, 0, 1);
	}
	(void)close(fd);
}

/* Deliver holds its copy of the socket until it has read that it was removed.
 * */
Test(reconciler_viewers, a_port_that_returns_at_once_serves_at_once,
     .timeout = 90)
{
	struct wish served = { .id = "good" };
	struct reconciler_bench b;
	char url[64];
	pid_t pid;

	set_good(&b, url, sizeof url);
	served.bench = &b;
	pid = rig_find_child("sluice-worker deliver 1");
	cr_assert_eq(kill(pid, SIGSTOP), 0);
	bench_set(&b, "good", NULL);
	bench_set(&b, "good", url);
	cr_assert_not_null(bench_get(&b, "good").output_errors[0]);
	cr_assert_eq(kill(pid, SIGCONT), 0);
	/* the first try that finds it free comes soon */
	await_free_port();
	rig_run_until(b.loop, is_served, &served, 500, "it is back");
	cr_assert_eq(rig_count_log("error listen"), 0, "%s", rig_log());
	bench_teardown(&b);
}

Test(reconciler_viewers,
     a_dead_deliver_rejects_no_viewer_and_gets_all_paths_again,
     .timeout = 90)
{
	struct wish seen = { .id = "good", .count = 1 };
	struct reconciler_bench b;
	char url[64];
	pid_t pid;

	name_url(url, sizeof url);
	bench_setup(&b);
	seen.bench = &b;
	bench_set(&b, "good", url);
	rig_run_until(b.loop, has_viewers, &seen, 5000, "it is mounted");
	cr_assert_eq(connect_there(), 0);

	pid = rig_find_child("sluice-worker deliver 1");
	cr_assert_gt(pid, 0);
	cr_assert_eq(kill(pid, SIGKILL), 0);
	for (int i = 0; i < 20; i++)
		cr_assert_eq(connect_there(), 0);
	/* the counts of the dead worker are kept */
	seen.count = 2;
	rig_run_until(b.loop, has_viewers, &seen, 1500, "it is mounted again");
	cr_assert_eq(bench_get(&b, "good").restarts, 0);

	/* the last http output removes it */
	bench_set(&b, "good", NULL);
	bench_await(&b, "good", "running", bench_get(&b, "good").pid, 5000);
	cr_assert_eq(connect_there(), -ECONNREFUSED);
	rig_run_until(b.loop, has_no_deliver, NULL, 5000, "it ends");
	bench_teardown(&b);
}

Test(reconciler_viewers, a_restart_by_hand_wakes_a_waiting_deliver_too,
     .timeout = 90)
{
	struct wish seen = { .id = "good", .count = 2 };
	struct reconciler_bench b;
	char url[64];
	pid_t pid;

	name_url(url, sizeof url);
	bench_setup(&b);
	seen.bench = &b;
	bench_set(&b, "good", url);
	/* the second end is followed by at least 800 ms of waiting */
	for (int i = 0; i < 2; i++) {
		struct wish mounted = { &b, "good", NULL, 0, (unsigned)i + 1 };

		rig_run_until(b.loop, has_viewers, &mounted, 5000, "mounted");
		pid = rig_find_child("sluice-worker deliver 1");
		cr_assert_eq(kill(pid, SIGKILL), 0);
	}
	rig_run_until(b.loop, has_lost_deliver_twice, NULL, 5000, "it waits");
	reconciler_restart_stream(b.reconciler, "good");
	seen.count = 3;
	rig_run_until(b.loop, has_viewers, &seen, 700, "it is back");
	bench_teardown(&b);
}

/* Zeroes the first bytes of the ring that the process has mapped. */
static void damage_ring(pid_t pid)
{
	char path[64], line[512];
	unsigned long at = 0;
	FILE *maps;
	int fd;

	(void)snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	maps = fopen(path, "r");
	cr_assert_not_null(maps);
	while (at == 0 && fgets(line, sizeof line, maps) != NULL)
		if (strstr(line, "/memfd:ring") != NULL)
			(void)sscanf(line, "%lx-", &at);
	(void)fclose(maps);
	cr_assert_neq(at, 0);
	(void)snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		cr_skip_test("may not write into another process");
	cr_assert_eq(pwrite(fd, "\0\0\0\0\0\0\0", 8, (off_t)at), 8);
	(void)close(fd);
}

/* A stray write in its last moments must not cost the path for good. */
Test(reconciler_viewers, a_ring_that_a_dying_worker_damaged_is_replaced,
     .timeout = 90)
{
	struct reconciler_bench b;
	char url[64];
	pid_t pid;

	set_good(&b, url, sizeof url);
	pid = bench_get(&b, "good").pid;
	damage_ring(pid);
	cr_assert_eq(kill(pid, SIGKILL), 0);
	bench_await(&b, "good", "running", pid, 5000);
	cr_assert_eq(rig_count_log("damaged ring buffer replaced"), 1);
	cr_assert_eq(rig_count_log("Bad message"), 0, "%s", rig_log());

	/* the next deliver accepts it as well */
	pid = rig_find_child("sluice-worker deliver 1");
	cr_assert_eq(kill(pid, SIGKILL), 0);
	rig_run_until(b.loop, is_answered_well, NULL, 5000, "200 again");
	cr_assert_eq(rig_count_log("the ring buffer of stream"), 0, "%s",
		     rig_log());
	bench_teardown(&b);
}

Test(reconciler_viewers, a_worker_that_damages_its_ring_is_replaced,
     .timeout = 90)
{
	struct reconciler_bench b;
	char url[64];
	pid_t pid;

	set_good(&b, url, sizeof url);
	pid = bench_get(&b, "good").pid;
	damage_ring(pid);
	bench_await(&b, "good", "running", pid, 5000);
	/* it may see the end of its channel before SIGKILL */
	cr_assert_eq(rig_count_log("stream good: it damaged its ring buffer: "),
		     1, "%s", rig_log());
	rig_run_until(b.loop, is_answered_well, NULL, 5000, "200");
	bench_teardown(&b);
}

Test(reconciler_viewers, another_ring_keeps_the_path, .timeout = 90)
{
	struct wish seen = { .id = "good", .count = 1 };
	struct reconciler_bench b;
	char url[64], larger[96];

	name_url(url, sizeof url);
	(void)snprintf(larger, sizeof larger, "%s#buffer_size=40000", url);
	bench_setup(&b);
	seen.bench = &b;
	bench_set(&b, "good", url);
	rig_run_until(b.loop, has_viewers, &seen, 5000, "it is mounted");
	bench_set(&b, "good", larger);
	cr_assert_null(bench_get(&b, "good").output_errors[0]);
	/* the counts stay with the path */
	cr_assert_eq(bench_get(&b, "good").viewers_cut, 1);
	cr_assert_eq(rig_count_log("is the path of"), 0, "%s", rig_log());
	bench_teardown(&b);
}

Test(reconciler_viewers, a_path_has_one_stream_at_a_time, .timeout = 90)
{
	struct wish served = { .id = "second" };
	struct reconciler_bench b;
	char url[64];

	name_url(url, sizeof url);
	bench_setup(&b);
	served.bench = &b;
	bench_set(&b, "good", url);
	bench_set(&b, "second", url);
	cr_assert_null(bench_get(&b, "good").output_errors[0]);
	cr_assert_not_null(bench_get(&b, "second").output_errors[0]);
	reconciler_remove_stream(b.reconciler, "good");
	cr_assert(is_served(&served));
	bench_teardown(&b);
}
