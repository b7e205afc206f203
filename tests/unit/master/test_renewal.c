/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/renewal.h"

#include "common/supervise/handover.h"
#include "master/auth/auth.h"
#include "master/config/config.h"
#include "master/renewal_file.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct bench {
	struct ev_loop *loop;
	struct config *config;
	struct auth *auth;
	struct renewal *renewal;
	char *argv[4];
	const char *program, *file; /* file: NULL: no configuration file */
	char answer[256]; /* "": none */
};

/* Restarts that failed; a test is a process of its own. */
static unsigned fails;

static struct handover *write_state(void *arg)
{
	uint64_t last = 0;

	(void)arg;
	return handover_new(&last);
}

static void on_done(const char *error, void *arg)
{
	struct bench *b = arg;

	cr_assert_not_null(error);
	cr_assert_str_empty(b->answer);
	(void)strncpy(b->answer, error, sizeof b->answer - 1);
}

static void on_fail(struct api *api)
{
	(void)api;
	fails++;
}

static void bench_open(struct bench *b)
{
	struct errmsg error;

	b->loop = ev_loop_new(EVFLAG_NOENV);
	b->config = config_open(b->file, b->loop, &error);
	b->auth = auth_new(&(struct auth_config){ .loop = b->loop,
						  .config = b->config });
	b->renewal = renewal_new(&(struct renewal_config){
		.loop = b->loop,
		.program = b->program,
		.argv = b->argv,
		.config = b->config,
		.auth = b->auth,
		.write = write_state,
		.arg = b,
		.on_fail = on_fail,
	});
}

static void bench_init(struct bench *b)
{
	*b = (struct bench){ .program = "/nonexistent",
			     .argv = { (char *)(uintptr_t)"sluice", NULL } };
	bench_open(b);
}

static void bench_done(struct bench *b)
{
	renewal_free(&b->renewal);
	auth_free(&b->auth);
	config_close(&b->config);
	ev_loop_destroy(b->loop);
}

/* The caller of renewal_try() is not yet ready for the answer. */
static void expect_answer_from_loop(struct bench *b, const char *text)
{
	cr_assert_str_empty(b->answer);
	for (unsigned i = 0; i < 10 && b->answer[0] == '\0'; i++)
		(void)ev_run(b->loop, EVRUN_ONCE);
	cr_assert_not_null(strstr(b->answer, text), "%s", b->answer);
}

Test(renewal, answers_from_the_loop_after_the_stop)
{
	struct bench b;

	bench_init(&b);
	renewal_stop(b.renewal);
	renewal_try(b.renewal, false, on_done, &b);
	expect_answer_from_loop(&b, "the service is stopping");
	bench_done(&b);
}

Test(renewal, answers_from_the_loop_without_descriptors)
{
	struct rlimit all, none;
	struct bench b;

	bench_init(&b);
	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &all), 0);
	none = (struct rlimit){ 0, all.rlim_max };
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	renewal_try(b.renewal, false, on_done, &b);
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &all), 0);
	expect_answer_from_loop(&b, "Too many open files");
	bench_done(&b);
}

Test(renewal, reports_once_that_a_restart_has_failed)
{
	struct bench b;

	bench_init(&b);
	/* nothing was to follow */
	renewal_try(b.renewal, false, on_done, &b);
	expect_answer_from_loop(&b, "cannot restart");
	cr_assert_eq(fails, 0u);
	renewal_ask(b.renewal);
	while (fails == 0)
		(void)ev_run(b.loop, EVRUN_ONCE);
	cr_assert_not_null(renewal_error(b.renewal));
	for (unsigned i = 0; i < 10; i++)
		(void)ev_run(b.loop, EVRUN_NOWAIT);
	cr_assert_eq(fails, 1u);
	bench_done(&b);
}

/* The file is faulty at the trial, and a change replaces it. */
Test(renewal, an_error_that_ended_does_not_return_with_the_next_change)
{
	char folder[] = "/tmp/test_renewal.XXXXXX", file[64], program[64];
	struct bench b = { .program = program, .file = file,
			   .argv = { (char *)(uintptr_t)"sluice", NULL } };
	FILE *script;

	cr_assert_not_null(mkdtemp(folder));
	(void)snprintf(file, sizeof file, "%s/c.json", folder);
	(void)snprintf(program, sizeof program, "%s/sluice", folder);
	script = fopen(program, "w");
	(void)fprintf(script, "#!/bin/sh\nexit %d\n", RENEWAL_EXIT_OTHER_FILE);
	(void)fclose(script);
	cr_assert_eq(chmod(program, 0700), 0);
	bench_open(&b);
	renewal_try(b.renewal, false, on_done, &b);
	while (b.answer[0] == '\0')
		(void)ev_run(b.loop, EVRUN_ONCE);
	cr_assert_not_null(renewal_error(b.renewal), "%s", b.answer);
	for (unsigned i = 0; i < 2; i++) {
		config_set_gid(b.config, 7 + i);
		config_flush(b.config);
		cr_assert_not(config_is_saved(b.config));
		cr_assert_eq(renewal_error(b.renewal) == NULL, i > 0);
		while (!config_is_saved(b.config))
			(void)ev_run(b.loop, EVRUN_ONCE);
		cr_assert_null(renewal_error(b.renewal));
	}
	bench_done(&b);
	(void)unlink(program);
	(void)unlink(file);
	(void)rmdir(folder);
}

Test(renewal, answers_at_its_end)
{
	struct bench b;

	bench_init(&b);
	renewal_stop(b.renewal);
	renewal_try(b.renewal, false, on_done, &b);
	bench_done(&b);
	cr_assert_str_eq(b.answer, "the service is stopping");
}
