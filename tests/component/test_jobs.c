/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs and the real analyzer. */
#include "common/supervise/jobs.h"

#include "common/base/fd.h"
#include "common/base/util.h"
#include "proto/ipc/channel.h"
#include "tests/component/rig.h"
#include "tests/component/service_rig.h"
#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bench {
	struct service_rig rig;
	struct jobs *jobs;
	char path[64];    /* of a transport stream */
	char address[80]; /* the same, looped */
};

/* The owner of a job, and the events that it received. */
struct owner {
	struct bench *bench;
	struct job *job;
	const char *address;
	unsigned hellos, records, statuses, ends, deadlines;
	char error[256];
	char why[256];
	char psi[64];           /* the first letters of the events */
	bool free_on_message, free_on_end, free_on_deadline;
};

static void write_stream(struct bench *b)
{
	struct build *build = build_new();
	struct ts_run run;
	int fd;

	for (unsigned i = 0; i < 20; i++) {
		build_tables(build);
		(void)build_pcr(build, 0x101, i * UINT64_C(27000000) / 10);
		for (unsigned k = 0; k < 20; k++)
			(void)build_payload(build, 0x101, 0x55);
	}
	run = build_run(build);
	(void)snprintf(b->path, sizeof b->path, "/tmp/test-jobs-XXXXXX");
	fd = mkstemp(b->path);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, run.data, run.n * TS_PACKET),
		     (ssize_t)(run.n * TS_PACKET));
	fd_close(&fd);
	build_free(build);
	(void)snprintf(b->address, sizeof b->address, "file://%s#loop",
		       b->path);
}

static void setup(struct bench *b)
{
	struct service_config config;

	*b = (struct bench){ 0 };
	write_stream(b);
	service_rig_init(&b->rig, "sluice-worker");
	config = service_rig_config(&b->rig);
	b->jobs = jobs_new(&config);
}

static bool is_gone(void *arg)
{
	return jobs_is_gone(((struct bench *)arg)->jobs);
}

static void teardown(struct bench *b)
{
	rig_run_until(b->rig.loop, is_gone, b, 8000, "gone");
	jobs_free(&b->jobs);
	service_rig_done(&b->rig);
	(void)unlink(b->path);
}

static void on_hello(struct channel *channel, void *self)
{
	struct owner *o = self;
	struct msg m = { .type = MSG_SCAN_START,
			 .scan_start = { o->address } };

	o->hellos++;
	(void)channel_send(channel, &m, NULL, 0);
}

static void on_message(const struct msg *m, void *self)
{
	struct owner *o = self;

	if (m->type == MSG_SCAN_RECORD) {
		const char *psi = json_string_value(
			json_object_get(m->scan_record.record, "psi"));

		o->records++;
		(void)strncat(o->psi, psi,
			      sizeof o->psi - strlen(o->psi) - 1);
	} else if (m->type == MSG_SCAN_STATUS) {
		const char *error = m->scan_status.error;

		o->statuses++;
		(void)snprintf(o->error, sizeof o->error, "%s",
			       error != NULL ? error : "");
	}
	if (o->free_on_message)
		job_free(&o->job);
}

static void on_end(const char *why, void *self)
{
	struct owner *o = self;

	o->ends++;
	(void)snprintf(o->why, sizeof o->why, "%s", why);
	if (o->free_on_end)
		job_free(&o->job);
}

static void on_deadline(void *self)
{
	struct owner *o = self;

	o->deadlines++;
	if (o->free_on_deadline)
		job_free(&o->job);
}

static const struct job_kind kind = {
	.role = "scan",
	.beat = MSG_SCAN_STATUS,
	.max = 2,
	.on_hello = on_hello,
	.on_message = on_message,
	.on_end = on_end,
	.on_deadline = on_deadline,
};

static void begin(struct bench *b, struct owner *o)
{
	o->bench = b;
	if (o->address == NULL)
		o->address = b->address;
	o->job = job_start(b->jobs, &kind, o);
}

static bool has_both(void *arg)
{
	struct owner *o = arg;

	return strstr(o->psi, "pat") != NULL && strstr(o->psi, "pmt") != NULL &&
	       o->statuses >= 2;
}

static bool has_ended(void *arg)
{
	return ((struct owner *)arg)->ends > 0;
}

static bool is_late(void *arg)
{
	return ((struct owner *)arg)->deadlines > 0;
}

static bool has_error(void *arg)
{
	return ((struct owner *)arg)->error[0] != '\0';
}

static bool is_freed(void *arg)
{
	return ((struct owner *)arg)->job == NULL;
}

Test(jobs, analyzer_reports_each_table_once)
{
	struct bench b;
	struct owner o = { 0 };

	setup(&b);
	begin(&b, &o);
	rig_run_until(b.rig.loop, has_both, &o, 10000, "tables");
	cr_expect_eq(o.hellos, 1);
	cr_expect_eq(o.records, 2, "%s", o.psi);
	cr_expect_str_eq(o.error, "");
	job_free(&o.job);
	cr_expect_null(o.job);
	teardown(&b);
	cr_expect_eq(o.ends, 0, "a freed job reports nothing");
}

Test(jobs, analyzer_without_an_input_reports_the_error)
{
	struct bench b;
	struct owner o = { .address = "file:///no/such/stream.ts" };

	setup(&b);
	begin(&b, &o);
	rig_run_until(b.rig.loop, has_error, &o, 10000, "error");
	cr_expect_str_eq(o.error,
			 "/no/such/stream.ts: No such file or directory");
	job_free(&o.job);
	teardown(&b);
}

Test(jobs, a_job_that_dies_is_finished)
{
	struct bench b;
	struct owner o = { 0 };
	pid_t pid;

	setup(&b);
	begin(&b, &o);
	rig_run_until(b.rig.loop, has_both, &o, 10000, "tables");
	pid = rig_find_child("scan");
	cr_assert_gt(pid, 0);
	(void)kill(pid, SIGKILL);
	rig_run_until(b.rig.loop, has_ended, &o, 5000, "end");
	cr_expect_str_eq(o.why, "killed by signal 9 (Killed)");
	rig_run_for(b.rig.loop, 200);
	cr_expect_eq(o.hellos, 1, "it was started again");
	cr_expect_eq(rig_count_children(), 0);
	job_free(&o.job);
	teardown(&b);
}

Test(jobs, number_is_limited_including_jobs_that_end)
{
	struct bench b;
	struct owner o[3] = { 0 };

	setup(&b);
	begin(&b, &o[0]);
	begin(&b, &o[1]);
	rig_run_until(b.rig.loop, has_both, &o[0], 10000, "tables");
	rig_run_until(b.rig.loop, has_both, &o[1], 10000, "tables");
	begin(&b, &o[2]);
	cr_assert_null(o[2].job);
	job_free(&o[0].job);
	begin(&b, &o[2]);
	cr_assert_null(o[2].job, "the process is still there");
	job_free(&o[1].job);
	rig_run_until(b.rig.loop, is_gone, &b, 5000, "gone");
	begin(&b, &o[2]);
	cr_assert(o[2].job);
	job_free(&o[2].job);
	teardown(&b);
}

Test(jobs, may_be_freed_before_they_begin)
{
	struct bench b;
	struct owner o = { 0 };

	setup(&b);
	begin(&b, &o);
	job_free(&o.job);
	cr_expect(jobs_is_gone(b.jobs));
	rig_run_for(b.rig.loop, 100);
	cr_expect_eq(o.hellos, 0);
	teardown(&b);
}

Test(jobs, may_be_freed_in_every_callback)
{
	struct owner o[3] = { { .free_on_message = true },
			      { .free_on_deadline = true },
			      { .free_on_end = true } };
	struct bench b;

	for (size_t i = 0; i < ARRAY_LEN(o); i++) {
		setup(&b);
		begin(&b, &o[i]);
		if (i == 1)
			job_set_deadline(o[i].job, 50);
		if (i == 2) {
			rig_run_until(b.rig.loop, has_both, &o[i], 10000,
				      "tables");
			(void)kill(rig_find_child("scan"), SIGKILL);
		}
		rig_run_until(b.rig.loop, is_freed, &o[i], 10000, "freed");
		teardown(&b);
	}
}

Test(jobs, deadline_moves_and_applies_after_the_end_too)
{
	struct bench b;
	struct owner o = { 0 };

	setup(&b);
	begin(&b, &o);
	job_set_deadline(o.job, 20);
	job_set_deadline(o.job, 20000);
	rig_run_until(b.rig.loop, has_both, &o, 10000, "tables");
	cr_expect_eq(o.deadlines, 0);
	(void)kill(rig_find_child("scan"), SIGKILL);
	rig_run_until(b.rig.loop, has_ended, &o, 5000, "end");
	job_set_deadline(o.job, 20);
	rig_run_until(b.rig.loop, is_late, &o, 5000, "deadline");
	cr_expect_eq(o.deadlines, 1);
	job_free(&o.job);
	teardown(&b);
}

static bool was_told(void *arg)
{
	return ((struct bench *)arg)->rig.gone;
}

Test(jobs, all_end_when_the_master_does)
{
	struct bench b;
	struct owner o[2] = { { .free_on_end = true }, { 0 } };

	setup(&b);
	begin(&b, &o[0]);
	begin(&b, &o[1]);
	rig_run_until(b.rig.loop, has_both, &o[0], 10000, "tables");
	jobs_stop(b.jobs);
	rig_run_until(b.rig.loop, was_told, &b, 8000, "gone");
	cr_expect_eq(o[0].ends, 1);
	cr_expect_eq(o[1].ends, 1);
	cr_expect_eq(rig_count_children(), 0);
	begin(&b, &o[0]);
	cr_expect_null(o[0].job);
	job_free(&o[1].job);
	teardown(&b);
}
