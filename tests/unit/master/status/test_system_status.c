/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/status/system_status.h"

#include "common/base/fd.h"
#include "common/base/shared.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static json_int_t ask(struct system_status *s, const char *key)
{
	json_t *o = system_status_get(s, STATUS_SECOND, NULL);
	json_int_t value = json_integer_value(json_object_get(o, key));

	json_decref(o);
	return value;
}

static json_int_t memory_kb(struct ev_loop *loop)
{
	struct system_status *s = system_status_new(loop);
	json_int_t kb = ask(s, "app_mem_kb");

	system_status_free(&s);
	return kb;
}

/*
 * A child that has read all pages of the memory.  It ends with the test, even
 * if that fails or is killed.
 */
static pid_t start_reader(int fd, size_t size)
{
	pid_t test = getpid(), pid;
	int ready[2];
	char all = 0;

	cr_assert_eq(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		const volatile char *map;

		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != test)
			_exit(1);
		map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
		for (size_t i = 0; map != MAP_FAILED && i < size; i += 4096)
			all = (char)(all | map[i]);
		(void)!write(ready[1], &all, 1);
		for (;;)
			(void)pause();
	}
	cr_assert_gt(pid, 0);
	cr_assert_eq(read(ready[0], &all, 1), 1);
	cr_assert_eq(all, 1);
	(void)close(ready[0]);
	(void)close(ready[1]);
	return pid;
}

Test(system_status, counts_memory_that_several_processes_map_once)
{
	enum { SIZE = 64 << 20, READERS = 3 };
	struct ev_loop *loop = ev_loop_new(EVFLAG_AUTO);
	int err, fd = shared_create("ring", SIZE);
	json_int_t before = memory_kb(loop), kb;
	char *map = shared_map(fd, SIZE, &err);
	pid_t readers[READERS];

	cr_assert_not_null(map);
	memset(map, 1, SIZE);
	for (size_t i = 0; i < READERS; i++)
		readers[i] = start_reader(fd, SIZE);
	kb = memory_kb(loop);
	cr_assert_geq(kb, before + SIZE / 1024);
	/* beside the pages that the children have of this process */
	cr_assert_lt(kb, before + READERS * (SIZE / 1024));
	for (size_t i = 0; i < READERS; i++) {
		(void)kill(readers[i], SIGKILL);
		cr_assert_eq(waitpid(readers[i], NULL, 0), readers[i]);
	}
	shared_unmap(map, SIZE);
	fd_close(&fd);
	ev_loop_destroy(loop);
}

static void end_run(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)w, (void)revents;
	ev_break(loop, EVBREAK_ALL);
}

/* Runs the loop, and with it the timer of the status. */
static void run_for(struct ev_loop *loop, double seconds)
{
	ev_timer end;

	ev_timer_init(&end, end_run, seconds, 0);
	ev_now_update(loop);
	ev_timer_start(loop, &end);
	(void)ev_run(loop, 0);
	ev_timer_stop(loop, &end);
}

Test(system_status, the_timer_reads_and_not_the_request)
{
	struct ev_loop *loop = ev_loop_new(EVFLAG_AUTO);
	struct system_status *s = system_status_new(loop);
	int fd = shared_create("page", 4096);
	json_int_t before = ask(s, "app_threads");
	pid_t child;

	cr_assert_eq(pwrite(fd, "\1", 1, 0), 1);
	run_for(loop, 0.3);
	child = start_reader(fd, 4096);
	cr_assert_eq(ask(s, "app_threads"), before);
	while (ask(s, "app_threads") == before)
		run_for(loop, 0.1);
	cr_assert_eq(ask(s, "app_threads"), before + 1);
	(void)kill(child, SIGKILL);
	cr_assert_eq(waitpid(child, NULL, 0), child);
	system_status_free(&s);
	fd_close(&fd);
	ev_loop_destroy(loop);
}
