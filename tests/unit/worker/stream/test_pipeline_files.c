/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings on disks that do not answer, at the end of their stream. */
#include "common/base/log.h"
#include "tests/unit/worker/stream/rig.h"
#include "worker/output/output.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FILES = RIG_OUTPUTS, SEVEN = 7 * TS_PACKET };

static atomic_bool hangs;
static atomic_int n_hanging;
static struct timespec until[FILES], first_join;
static int n_joined;

/* Replaces that of libc: a slow disk.  Not for the log, which may be a file,
 * too. */
ssize_t write(int fd, const void *data, size_t len)
{
	struct stat st;

	if (atomic_load(&hangs) && fd > STDERR_FILENO && fstat(fd, &st) == 0 &&
	    S_ISREG(st.st_mode)) {
		atomic_fetch_add(&n_hanging, 1);
		while (atomic_load(&hangs))
			usleep(1000);
	}
	return (ssize_t)syscall(SYS_write, fd, data, len);
}

/* The same: nothing ends in time. */
int pthread_clockjoin_np(pthread_t thread, void **ret, clockid_t clock,
			 const struct timespec *at)
{
	(void)thread, (void)ret;
	cr_assert_lt(n_joined, FILES);
	if (n_joined == 0)
		(void)clock_gettime(CLOCK_MONOTONIC, &first_join);
	until[n_joined++] = *at;
	while (clock_nanosleep(clock, TIMER_ABSTIME, at, NULL) == EINTR)
		;
	return ETIMEDOUT;
}

static const char *trouble_of(struct output *o)
{
	struct errmsg why;

	cr_assert_eq(output_every_second(o, &why), 0);
	return output_error(o);
}

static const char slow[] = "the disk is too slow: packets dropped";

/* A recording on a disk that has stopped. */
struct tape {
	char address[48];
	struct output_spec spec;
	struct output *out;
	struct ts_run run;
	uint64_t now_ns;
	unsigned begun, over; /* lines of the log */
};

/* More than fits into its queue, in two of them. */
static void send_half(struct tape *t)
{
	for (int i = 0; i < 50; i++)
		output_send(t->out, &t->run, 1, ++t->now_ns);
}

static void tape_init(struct tape *t)
{
	static uint8_t data[1000 * TS_PACKET];
	char path[] = "/tmp/slow-XXXXXX";
	struct errmsg why;
	int err;

	*t = (struct tape){ .run = { data, 1000 } };
	(void)close(mkstemp(path));
	rig_make_packets(data, 0, 1000);
	(void)snprintf(t->address, sizeof t->address, "file://%s#min_free=0",
		       path);
	cr_assert_eq(output_spec_parse(t->address, &t->spec, NULL, NULL, &why),
		     0);
	t->out = output_open(&t->spec, &err, &why);
	cr_assert_not_null(t->out);
	atomic_store(&hangs, true);
	output_send(t->out, &t->run, 1, ++t->now_ns);
	while (atomic_load(&n_hanging) == 0)
		usleep(1000);
	send_half(t);
	cr_assert_null(trouble_of(t->out), "they wait");
}

static void tape_done(struct tape *t)
{
	atomic_store(&hangs, false);
	output_free(&t->out);
	(void)unlink(t->spec.path);
}

Test(pipeline_files, a_disk_that_is_too_slow_is_reported_until_it_recovers)
{
	struct tape t;

	tape_init(&t);
	/* a disk that accepts a part */
	for (int i = 0; i < 10; i++) {
		send_half(&t);
		cr_assert_str_eq(trouble_of(t.out), slow);
		cr_assert_str_eq(trouble_of(t.out), slow, "nothing came");
	}
	for (int i = 0; i < 3; i++)
		cr_assert_str_eq(trouble_of(t.out), slow, "not for long");
	cr_assert_null(trouble_of(t.out), "no error for 5 s");
	tape_done(&t);
}

static void count_lines(enum log_level level, const char *component,
			const char *text, void *arg)
{
	struct tape *t = arg;

	(void)level, (void)component;
	t->begun += strstr(text, slow) != NULL;
	t->over += strstr(text, "recording resumed") != NULL;
}

Test(pipeline_files, a_disk_at_its_limit_does_not_fill_the_log)
{
	struct tape t;

	tape_init(&t);
	log_open(count_lines, &t, LOG_LEVEL_INFO);
	for (int i = 0; i < 10; i++) {
		send_half(&t);
		(void)trouble_of(t.out);
		(void)trouble_of(t.out);
	}
	cr_assert_eq(t.begun, 1);
	cr_assert_eq(t.over, 0);
	while (trouble_of(t.out) != NULL)
		;
	cr_assert_eq(t.over, 1);
	for (int i = 0; i < 100; i++) {
		send_half(&t);
		while (trouble_of(t.out) != NULL)
			;
	}
	cr_assert_leq(t.begun, 5);
	cr_assert_eq(t.over, t.begun);
	log_open(NULL, NULL, LOG_LEVEL_INFO);
	tape_done(&t);
}

static double seconds(const struct timespec *t)
{
	return (double)t->tv_sec + (double)t->tv_nsec / 1e9;
}

/* They are waited for until the same moment, except the time that passed
 * between them before. */
Test(pipeline_files, disks_that_hang_hold_up_its_end_together)
{
	char folder[] = "/tmp/path-files-XXXXXX", address[FILES][80];
	uint8_t data[SEVEN];
	struct timespec begin;
	struct rig r;

	cr_assert_not_null(mkdtemp(folder));
	for (size_t i = 0; i < FILES; i++)
		(void)snprintf(address[i], sizeof address[i],
			       "file://%s/%zu.ts#min_free=0", folder, i);
	rig_init(&r);
	rig_make_packets(data, 0, 7);
	rig_start(&r, "udp://127.0.0.1:5000", address[0], address[1]);
	rig_aim(&r, "127.0.0.1", 5000);
	atomic_store(&hangs, true);
	while (atomic_load(&n_hanging) < FILES) {
		rig_send(&r, data, sizeof data);
		rig_turn(&r, 10);
	}
	(void)clock_gettime(CLOCK_MONOTONIC, &begin);
	rig_done(&r);
	cr_assert_eq(n_joined, FILES);
	cr_assert_leq(seconds(&until[1]) - seconds(&until[0]),
		      seconds(&first_join) - seconds(&begin));
	atomic_store(&hangs, false);
	for (size_t i = 0; i < FILES; i++) {
		char path[80];

		(void)snprintf(path, sizeof path, "%s/%zu.ts", folder, i);
		cr_assert_eq(unlink(path), 0);
	}
	cr_assert_eq(rmdir(folder), 0);
}
