/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The gate with a worker that answers when the test lets it.  For one test
 * program: it defines the functions of the worker.
 */
#pragma once

#include "common/base/log.h"
#include "common/base/util.h"
#include "master/auth/password_check.h"
#include "master/config/config.h"
#include "common/supervise/auth_proc.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS_MAX = 100 };

struct auth_job {
	struct auth_job_config cfg;
	char password[64];
	char hash[64];
};

static struct world {
	struct ev_loop *loop;
	struct config *config;
	struct gate *gate;
	enum gate_door door; /* the next questions come by it */
	struct auth_job *jobs[JOBS_MAX]; /* under way, in order */
	size_t n;
} w;

struct auth_job *auth_job_new(struct auth_proc *p,
			      const struct auth_job_config *cfg)
{
	struct auth_job *j = calloc(1, sizeof *j);

	(void)p;
	cr_assert_lt(w.n, (size_t)JOBS_MAX);
	j->cfg = *cfg;
	(void)snprintf(j->password, sizeof j->password, "%s", cfg->password);
	(void)snprintf(j->hash, sizeof j->hash, "%.60s", cfg->hash);
	return w.jobs[w.n++] = j;
}

static void take_out(struct auth_job *j)
{
	size_t i = 0;

	while (w.jobs[i] != j)
		i++;
	w.n--;
	memmove(&w.jobs[i], &w.jobs[i + 1], (w.n - i) * sizeof w.jobs[0]);
}

void auth_job_cancel(struct auth_job **j)
{
	if (*j == NULL)
		return;
	take_out(*j);
	free(*j);
	*j = NULL;
}

/* The worker's answer to the i-th job under way. */
static void answer(size_t i, enum auth_outcome outcome)
{
	struct auth_job *j = w.jobs[i];

	take_out(j);
	j->cfg.on_done(outcome, "", j->cfg.arg);
	free(j);
}

static void ignore_log(enum log_level level, const char *component,
		       const char *text, void *arg)
{
	(void)level, (void)component, (void)text, (void)arg;
}

static void put(const char *login, const char *cipher)
{
	config_put_user(w.config, login,
			json_pack("{s:b, s:i, s:s}", "enable", 1, "type", 1,
				  "cipher", cipher));
}

static void open_world(void)
{
	struct errmsg why;

	log_open(ignore_log, NULL, LOG_LEVEL_DEBUG);
	w.loop = ev_loop_new(0);
	w.config = config_open(NULL, w.loop, &why);
	w.gate = gate_new(&(struct gate_config){ .loop = w.loop,
						 .config = w.config });
	put("anna", "$y$anna");
	put("old", "0123456789abcdef0123456789abcdef");
}

static void close_world(void)
{
	gate_free(&w.gate);
	cr_assert_eq(w.n, 0u, "a job was left");
	config_close(&w.config);
	ev_loop_destroy(w.loop);
}

struct asked {
	struct gate_wait *wait;
	int answer; /* -1: none yet */
};

static void on_done(enum gate_answer a, void *arg)
{
	struct asked *asked = arg;

	cr_assert_eq(asked->answer, -1, "answered twice");
	asked->answer = (int)a;
	asked->wait = NULL;
}

static struct gate_question question(const char *login, const char *password,
				     const char *from)
{
	static struct ip_address address;

	cr_assert_eq(ip_parse(from, &address), 0);
	return (struct gate_question){ login, password, &address, w.door };
}

static struct asked ask(const char *login, const char *password,
			const char *from, struct asked *a)
{
	struct gate_question q = question(login, password, from);

	*a = (struct asked){ .answer = -1 };
	a->wait = gate_ask(w.gate, &q, on_done, a);
	cr_assert_eq(a->answer, -1, "answered inside the call");
	return *a;
}

static int knows(const char *login, const char *password, const char *from)
{
	struct gate_question q = question(login, password, from);
	enum gate_answer a;

	return gate_knows(w.gate, &q, &a) ? (int)a : -1;
}

#define HERE "192.0.2.1"

/* n passwords of one login at a time: p0, p1 and so on. */
static void ask_many(struct asked *a, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char password[32];

		(void)snprintf(password, sizeof password, "p%zu", i);
		(void)ask("anna", password, HERE, &a[i]);
	}
}
