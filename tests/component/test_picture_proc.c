/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real picture worker, through the master's side of it. */
#include "master/streams/picture_proc.h"

#include "common/base/fd.h"
#include "common/base/ring.h"
#include "tests/component/rig.h"
#include "tests/component/service_rig.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { PATIENCE_MS = 10000 };

struct bench {
	struct service_rig rig;
	struct picture_proc *proc;
	int ring; /* without a packet */
};

struct asked {
	unsigned done;
	uint32_t len;
	char error[128];
};

static void setup(struct bench *b)
{
	struct service_config config;

	*b = (struct bench){ .ring = ring_create(RING_UNIT, RING_UNIT) };
	service_rig_init(&b->rig, "sluice-worker");
	config = service_rig_config(&b->rig);
	b->proc = picture_proc_new(&config);
}

static void teardown(struct bench *b)
{
	service_rig_stop(&b->rig, picture_proc_service(b->proc));
	picture_proc_free(&b->proc);
	service_rig_done(&b->rig);
	fd_close(&b->ring);
}

static void on_done(const struct msg_picture_result *m, int fd, void *arg)
{
	struct asked *a = arg;

	(void)fd;
	a->len = m->len;
	(void)snprintf(a->error, sizeof a->error, "%s", m->error);
	a->done++;
}

static bool is_done(void *arg)
{
	return ((const struct asked *)arg)->done > 0;
}

static struct picture_job *ask(struct bench *b, const char *stream,
			       struct asked *a)
{
	*a = (struct asked){ 0 };
	return picture_job_new(b->proc, stream, b->ring, on_done, a);
}

static void wait_for(struct bench *b, struct asked *a)
{
	rig_run_until(b->rig.loop, is_done, a, PATIENCE_MS, "an answer");
}

Test(picture_proc, jobs_are_done_one_after_the_other)
{
	struct asked one, two;
	struct bench b;

	setup(&b);
	cr_assert_not_null(ask(&b, "a", &one));
	cr_assert_not_null(ask(&b, "b", &two));
	wait_for(&b, &two);
	cr_expect_eq(one.done, 1);
	cr_expect_str_eq(one.error, "no picture has arrived yet");
	cr_expect_str_eq(two.error, "no picture has arrived yet");
	teardown(&b);
}

/* The worker runs, has no job, and does not begin the next one. */
static pid_t stop_worker(struct bench *b)
{
	struct asked first;
	pid_t pid;

	cr_assert_not_null(ask(b, "first", &first));
	wait_for(b, &first);
	pid = rig_find_child("picture");
	cr_assert_gt(pid, 0);
	cr_assert_eq(kill(pid, SIGSTOP), 0);
	return pid;
}

Test(picture_proc, a_stream_that_ends_the_worker_waits_and_others_do_not)
{
	struct asked bad, good;
	struct picture_job *job;
	struct bench b;
	pid_t pid;

	setup(&b);
	rig_keep_log();
	pid = stop_worker(&b);
	cr_assert_not_null(ask(&b, "bad", &bad));
	job = ask(&b, "good", &good);
	cr_assert_not_null(job);
	/* as a frame does that costs too much time */
	cr_assert_eq(kill(pid, SIGKILL), 0);
	wait_for(&b, &bad);
	cr_expect_str_eq(bad.error,
			 "the process that decodes pictures failed at the last "
			 "key frame of the stream");
	cr_expect_not_null(picture_proc_refusal(b.proc, "bad"));
	cr_expect_null(picture_proc_refusal(b.proc, "good"));
	cr_expect_null(ask(&b, "bad", &bad));
	/* the next worker has the other job */
	wait_for(&b, &good);
	cr_expect_str_eq(good.error, "no picture has arrived yet");
	cr_expect_eq(rig_count_log("no picture for 30 s"), 1);
	teardown(&b);
}

Test(picture_proc, a_cancelled_job_that_ends_the_worker_is_no_fault_of_the_next)
{
	struct asked bad, good;
	struct picture_job *job;
	struct bench b;
	pid_t pid;

	setup(&b);
	rig_keep_log();
	pid = stop_worker(&b);
	job = ask(&b, "bad", &bad);
	cr_assert_not_null(job);
	picture_job_cancel(&job);
	cr_assert_not_null(ask(&b, "good", &good));
	cr_assert_eq(kill(pid, SIGKILL), 0);
	wait_for(&b, &good);
	cr_expect_str_eq(good.error, "no picture has arrived yet");
	cr_expect_not_null(picture_proc_refusal(b.proc, "bad"));
	cr_expect_null(picture_proc_refusal(b.proc, "good"));
	cr_expect_eq(bad.done, 0);
	cr_expect_eq(rig_count_log("stream bad: the process that decodes"), 1);
	teardown(&b);
}

Test(picture_proc, the_next_job_follows_the_result_of_a_cancelled_one)
{
	struct picture_job *job;
	struct asked one, two;
	struct bench b;

	setup(&b);
	cr_assert_not_null(ask(&b, "a", &one));
	wait_for(&b, &one);
	job = ask(&b, "a", &one);
	picture_job_cancel(&job);
	cr_assert_not_null(ask(&b, "b", &two));
	wait_for(&b, &two);
	cr_expect_eq(one.done, 0);
	cr_expect_str_eq(two.error, "no picture has arrived yet");
	teardown(&b);
}

Test(picture_proc, a_worker_that_is_stopped_is_the_fault_of_no_stream)
{
	struct picture_job *job;
	struct asked one;
	struct bench b;

	setup(&b);
	rig_keep_log();
	cr_assert_not_null(ask(&b, "a", &one));
	wait_for(&b, &one);
	job = ask(&b, "a", &one);
	picture_job_cancel(&job);
	service_rig_stop(&b.rig, picture_proc_service(b.proc));
	cr_expect_null(picture_proc_refusal(b.proc, "a"));
	cr_expect_eq(rig_count_log("no picture for"), 0);
	picture_proc_free(&b.proc);
	service_rig_done(&b.rig);
	fd_close(&b.ring);
}

Test(picture_proc, jobs_are_bounded)
{
	struct picture_job *jobs[PICTURE_JOBS_MAX];
	struct asked a;
	struct bench b;

	setup(&b);
	for (size_t i = 0; i < PICTURE_JOBS_MAX; i++) {
		jobs[i] = ask(&b, "a", &a);
		cr_assert_not_null(jobs[i]);
	}
	cr_expect_null(ask(&b, "a", &a));
	for (size_t i = 0; i < PICTURE_JOBS_MAX; i++)
		picture_job_cancel(&jobs[i]);
	cr_expect_null(picture_proc_refusal(b.proc, "a"));
	teardown(&b);
}
