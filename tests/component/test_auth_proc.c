/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real auth worker, through the master's side of it. */
#include "common/supervise/auth_proc.h"

#include "common/base/mono.h"
#include "tests/component/rig.h"
#include "tests/component/service_rig.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static uint64_t step_ms; /* the clock advances so far with each reading */

uint64_t mono_ns(void)
{
	static uint64_t added_ms;
	struct timespec now;

	added_ms += step_ms;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec +
	       added_ms * 1000000;
}

uint64_t mono_ms(void)
{
	return mono_ns() / 1000000;
}

/* The pace of messages is not tested here. */
uint64_t mono_cost_ns(void)
{
	return 0;
}

struct bench {
	struct service_rig rig;
	struct auth_proc *auth;
};

struct asked {
	enum auth_outcome outcome;
	char hash[512];
	unsigned done;
};

static void setup(struct bench *b, const char *worker)
{
	struct service_config config;

	*b = (struct bench){ 0 };
	service_rig_init(&b->rig, worker);
	config = service_rig_config(&b->rig);
	b->auth = auth_proc_new(&config);
}

static void teardown(struct bench *b)
{
	service_rig_stop(&b->rig, auth_proc_service(b->auth));
	auth_proc_free(&b->auth);
	service_rig_done(&b->rig);
}

static void on_done(enum auth_outcome outcome, const char *hash, void *arg)
{
	struct asked *a = arg;

	a->outcome = outcome;
	(void)snprintf(a->hash, sizeof a->hash, "%s", hash);
	a->done++;
}

static struct auth_job *ask(struct bench *b, const char *password,
			    const char *hash, struct asked *a)
{
	*a = (struct asked){ 0 };
	return auth_job_new(b->auth, &(struct auth_job_config){
					     .password = password,
					     .hash = hash,
					     .on_done = on_done,
					     .arg = a });
}

static bool is_done(void *arg)
{
	return ((struct asked *)arg)->done > 0;
}

static void await(struct bench *b, struct asked *a)
{
	rig_run_until(b->rig.loop, is_done, a, 10000, "an answer");
	cr_assert_eq(a->done, 1);
}

Test(auth_proc, hashes_and_verifies, .timeout = 90)
{
	static const char password[] = "p\xc3\xa4\x01\"\\ss";
	struct asked hash, right, wrong;
	struct bench b;

	setup(&b, "sluice-worker");
	cr_expect_eq(rig_count_children(), 0, "it runs before it is needed");
	(void)ask(&b, password, NULL, &hash);
	await(&b, &hash);
	cr_assert_eq(hash.outcome, AUTH_OK);
	cr_assert_eq(strncmp(hash.hash, "$y$", 3), 0, "%s", hash.hash);
	(void)ask(&b, password, hash.hash, &right);
	(void)ask(&b, "another", hash.hash, &wrong);
	await(&b, &right);
	await(&b, &wrong);
	cr_expect_eq(right.outcome, AUTH_OK);
	cr_expect_eq(wrong.outcome, AUTH_WRONG);
	cr_expect(service_proc_is_running(auth_proc_service(b.auth)));
	teardown(&b);
}

/* A service that runs at -10 must not wait for its logins behind all others. */
Test(auth_proc, is_five_steps_nicer_than_the_service, .timeout = 90)
{
	struct asked first;
	struct bench b;
	int own;

	(void)!nice(3);
	own = getpriority(PRIO_PROCESS, 0);
	setup(&b, "sluice-worker");
	(void)ask(&b, "x", NULL, &first);
	await(&b, &first);
	cr_expect_eq(getpriority(PRIO_PROCESS, (id_t)rig_find_child("auth")),
		     own + 5 > 19 ? 19 : own + 5);
	teardown(&b);
}

Test(auth_proc, many_are_answered_in_order, .timeout = 90)
{
	struct asked asked[40];
	struct bench b;
	struct auth_job *cancelled;

	setup(&b, "sluice-worker");
	for (size_t i = 0; i < 40; i++) {
		struct auth_job *j = ask(&b, "x", "$5$rounds=1000$s$",
					 &asked[i]);

		if (i == 20)
			cancelled = j;
	}
	auth_job_cancel(&cancelled);
	cr_expect_null(cancelled);
	await(&b, &asked[39]);
	for (size_t i = 0; i < 40; i++)
		cr_expect_eq(asked[i].done, i == 20 ? 0 : 1, "%zu", i);
	teardown(&b);
}

static unsigned ended; /* jobs so far */

static void on_end(enum auth_outcome outcome, const char *hash, void *arg)
{
	(void)outcome, (void)hash;
	*(unsigned *)arg = ++ended;
}

static bool have_all_ended(void *arg)
{
	return ended == *(unsigned *)arg;
}

/* The attack: viewers with wrong passwords delay the login of a user. */
Test(auth_proc, urgent_jobs_pass_those_that_the_worker_does_not_have,
     .timeout = 90)
{
	enum { JOBS = 20, FIRST = 10 };
	unsigned places[JOBS], all = JOBS;
	struct bench b;

	setup(&b, "sluice-worker");
	for (unsigned i = 0; i < JOBS; i++)
		(void)auth_job_new(b.auth, &(struct auth_job_config){
			.password = "x", .hash = "$5$rounds=1000$s$",
			.urgent = i >= FIRST, .on_done = on_end,
			.arg = &places[i] });
	rig_run_until(b.rig.loop, have_all_ended, &all, 10000, "the answers");
	/* the worker starts behind the last of them */
	for (unsigned i = 0; i < JOBS; i++)
		cr_expect_eq(places[i], 1 + (i + FIRST) % JOBS, "%u", i);
	teardown(&b);
}

Test(auth_proc, a_job_that_was_just_sent_is_not_overdue, .timeout = 90)
{
	struct asked asked;
	struct bench b;

	setup(&b, "sluice-worker");
	(void)ask(&b, "x", "$5$rounds=1000$s$", &asked);
	await(&b, &asked);
	rig_keep_log();
	step_ms = 1;
	(void)ask(&b, "x", "$5$rounds=1000$s$", &asked);
	step_ms = 0;
	await(&b, &asked);
	cr_assert_eq(rig_count_log("no result within 30 s"), 0, "%s",
		     rig_log());
	teardown(&b);
}

/* POST login and disconnect, repeatedly. */
Test(auth_proc,
     clients_that_disconnect_do_not_overload_the_worker, .timeout = 90)
{
	struct asked asked, first;
	struct auth_job *j;
	struct bench b;
	uint64_t begin;
	pid_t worker;

	setup(&b, "sluice-worker");
	(void)ask(&b, "x", NULL, &first);
	await(&b, &first);
	worker = rig_find_child("auth");
	for (int i = 0; i < 5000; i++) {
		j = ask(&b, "x", first.hash, &asked);
		auth_job_cancel(&j);
	}
	begin = mono_ms();
	(void)ask(&b, "x", first.hash, &asked);
	await(&b, &asked);
	cr_assert_eq(asked.outcome, AUTH_OK);
	cr_assert(mono_ms() - begin < 3000 || rig_is_busy());
	cr_assert_eq(rig_find_child("auth"), worker);
	teardown(&b);
}

Test(auth_proc, a_killed_worker_costs_no_job, .timeout = 90)
{
	struct asked first, second;
	struct bench b;
	pid_t worker;

	setup(&b, "sluice-worker");
	(void)ask(&b, "x", NULL, &first);
	await(&b, &first);
	worker = rig_find_child("auth");
	cr_assert_gt(worker, 0);
	cr_assert_eq(kill(worker, SIGSTOP), 0);
	(void)ask(&b, "x", NULL, &second);
	rig_run_for(b.rig.loop, 50);
	cr_assert_eq(kill(worker, SIGKILL), 0);
	await(&b, &second);
	cr_expect_eq(second.outcome, AUTH_OK);
	teardown(&b);
}

Test(auth_proc, without_a_worker_the_deadline_answers, .timeout = 90)
{
	uint64_t begin = mono_ms();
	struct asked a;
	struct bench b;

	setup(&b, "no-such-worker");
	(void)ask(&b, "x", NULL, &a);
	await(&b, &a);
	cr_expect_eq(a.outcome, AUTH_UNAVAILABLE);
	cr_expect_geq(mono_ms() - begin, AUTH_JOB_DEADLINE_MS - 50);
	cr_expect(mono_ms() - begin <= AUTH_JOB_DEADLINE_MS + 1000 ||
		  rig_is_busy());
	teardown(&b);
}

Test(auth_proc, a_slow_result_is_not_lost, .timeout = 90)
{
	uint64_t begin = mono_ms();
	struct asked a;
	struct bench b;

	setup(&b, "tests/component/fake_worker");
	(void)ask(&b, "x", "late", &a);
	await(&b, &a);
	cr_expect_eq(a.outcome, AUTH_OK);
	cr_expect_gt(mono_ms() - begin, AUTH_JOB_DEADLINE_MS);
	teardown(&b);
}

Test(auth_proc, the_alarm_names_no_command_that_does_not_help, .timeout = 90)
{
	struct service_proc *service;
	const char *alarm;
	struct bench b;

	setup(&b, "no-such-worker");
	service = auth_proc_service(b.auth);
	step_ms = 1000; /* the pauses between starts pass soon */
	service_proc_want(service);
	while (service_proc_alarm(service) == NULL)
		(void)ev_run(b.rig.loop, EVRUN_ONCE);
	step_ms = 0;
	alarm = service_proc_alarm(service);
	cr_assert_not_null(strstr(alarm, "one start a minute"), "%s", alarm);
	cr_assert_null(strstr(alarm, "at once"), "%s", alarm);
	teardown(&b);
}
