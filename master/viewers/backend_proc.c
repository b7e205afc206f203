/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/backend_proc.h"

#include "common/base/alloc.h"
#include "common/loop/timer.h"
#include "common/supervise/service_request.h"
#include "proto/ipc/channel.h"
#include "proto/ipc/msg_tables.h"

#include <assert.h>
#include <ev.h>
#include <stdlib.h>
#include <sys/queue.h>

struct backend_job {
	struct service_request request;
	struct backend_proc *owner;
	struct msg_backend_ask ask; /* owns its texts */
	/* NULL: the job was cancelled after it was sent */
	backend_done_fn *done;
	void *arg;
	/* time limit for the wait until the job is sent, and then again for its
	 * result */
	ev_timer deadline;
};

struct backend_proc {
	struct ev_loop *loop;
	struct service_proc *service;
	struct service_requests jobs;
	unsigned n, n_sent;
	uint32_t last_seq;
};

static struct backend_job *job_of(struct service_request *r)
{
	return container_of(r, struct backend_job, request);
}

static void job_free(struct backend_job *j)
{
	struct backend_proc *p = j->owner;

	TAILQ_REMOVE(&p->jobs, &j->request, link);
	p->n--;
	p->n_sent -= j->request.seq != 0;
	ev_timer_stop(p->loop, &j->deadline);
	field_drop(&backend_ask_fields, &j->ask);
	free(j);
}

static void job_end(struct backend_job *j,
		    const struct msg_backend_result *result)
{
	backend_done_fn *done = j->done;
	void *arg = j->arg;

	job_free(j);
	if (done != NULL)
		done(result, arg);
}

static void job_fail(struct backend_job *j, const char *error)
{
	job_end(j, &(struct msg_backend_result){
		.login = "", .location = "", .user = "", .error = error,
	});
}

static void set_deadline(struct backend_job *j, unsigned ms)
{
	timer_start(j->owner->loop, &j->deadline, ms / 1e3);
}

static void pump(void *self)
{
	struct backend_proc *p = self;
	struct channel *channel = service_proc_channel(p->service);
	struct service_request *r;

	if (channel == NULL)
		return;
	TAILQ_FOREACH(r, &p->jobs, link) {
		struct msg m = { .type = MSG_BACKEND_ASK };

		if (p->n_sent >= BACKEND_WITH_WORKER_MAX)
			return;
		if (r->seq != 0)
			continue;
		if (++p->last_seq == 0)
			p->last_seq = 1;
		r->seq = m.seq = p->last_seq;
		r->tries++;
		p->n_sent++;
		set_deadline(job_of(r), BACKEND_DEADLINE_MS);
		m.backend_ask = job_of(r)->ask;
		/* if this fails, the worker is ending: on_down() handles it */
		(void)channel_send(channel, &m, NULL, 0);
	}
}

/* A job that was sent ends: sends the next waiting job in its place. */
static void give_place(struct backend_job *j)
{
	struct backend_proc *p = j->owner;

	p->n_sent--;
	j->request.seq = 0;
	TAILQ_REMOVE(&p->jobs, &j->request, link);
	/* before done is called, because done may cancel all jobs */
	pump(p);
	TAILQ_INSERT_HEAD(&p->jobs, &j->request, link);
}

static void on_message(const struct msg *m, void *self)
{
	struct backend_proc *p = self;
	const struct msg_backend_result *result = &m->backend_result;
	struct service_request *r;

	if (m->type != MSG_BACKEND_RESULT || m->seq == 0)
		return;
	r = service_requests_find(&p->jobs, m->seq);
	if (r == NULL)
		return; /* the job has ended before */
	give_place(job_of(r));
	/* no status and no error: the worker could not take the request */
	job_end(job_of(r), result->status == 0 && result->error[0] == '\0'
				   ? NULL : result);
}

/* Frees the jobs that were cancelled after they were sent: the worker has
 * ended, or is about to be ended, and will not answer. */
static void drop_cancelled(struct backend_proc *p)
{
	struct service_request *r, *next;

	for (r = TAILQ_FIRST(&p->jobs); r != NULL; r = next) {
		next = TAILQ_NEXT(r, link);
		if (job_of(r)->done == NULL)
			job_free(job_of(r));
	}
}

/* The worker has ended: its successor gets the jobs again.  A job that two
 * workers had when they ended fails, because it may be the reason. */
static void on_down(void *self)
{
	struct backend_proc *p = self;
	struct service_request *r;

	drop_cancelled(p);
	service_requests_take_back(&p->jobs);
	p->n_sent = 0;
	while ((r = service_requests_find_deadly(&p->jobs)) != NULL)
		job_fail(job_of(r), "the process that asks it ended twice");
}

static const struct service_kind kind = {
	.role = "backend",
	.program = SPAWN_WORKER_NET,
	.beat = MSG_BACKEND_STATUS,
	.on_hello = pump,
	.on_message = on_message,
	.on_down = on_down,
};

struct backend_proc *backend_proc_new(const struct service_config *cfg)
{
	struct backend_proc *p = xcalloc(1, sizeof *p);

	p->loop = cfg->loop;
	TAILQ_INIT(&p->jobs);
	p->service = service_proc_new(cfg, &kind, "1", p);
	return p;
}

void backend_proc_free(struct backend_proc **p)
{
	if (*p == NULL)
		return;
	drop_cancelled(*p);
	assert(TAILQ_EMPTY(&(*p)->jobs));
	service_proc_free(&(*p)->service);
	free(*p);
	*p = NULL;
}

struct service_proc *backend_proc_service(struct backend_proc *p)
{
	return p->service;
}

static void on_deadline(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct backend_job *j = container_of(t, struct backend_job, deadline);
	bool waits = j->request.seq == 0;

	(void)loop, (void)revents;
	if (waits && service_proc_channel(j->owner->service) == NULL) {
		job_fail(j, "the process that asks it does not run");
	} else if (waits) {
		/* the job waited behind others and was not sent: this says
		 * nothing about the backend */
		job_end(j, NULL);
	} else {
		give_place(j);
		job_fail(j, "no answer within 3 s");
	}
}

struct backend_job *backend_job_new(struct backend_proc *p,
				    const struct msg_backend_ask *ask,
				    backend_done_fn *done, void *arg)
{
	struct backend_job *j;

	if (p->n >= BACKEND_JOBS_MAX)
		return NULL;
	j = xcalloc(1, sizeof *j);
	j->owner = p;
	j->ask = *ask;
	field_keep(&backend_ask_fields, &j->ask);
	j->done = done;
	j->arg = arg;
	TAILQ_INSERT_TAIL(&p->jobs, &j->request, link);
	p->n++;
	ev_init(&j->deadline, on_deadline);
	service_proc_want(p->service);
	/* 0 if the worker cannot start, so that the viewer does not wait */
	set_deadline(j, service_proc_channel(p->service) == NULL &&
				service_proc_alarm(p->service) != NULL
			? 0 : BACKEND_DEADLINE_MS);
	pump(p);
	return j;
}

void backend_job_cancel(struct backend_job **j)
{
	struct backend_job *job = *j;

	*j = NULL;
	if (job != NULL && job->request.seq != 0)
		/* the worker continues the request, so the job still counts
		 * as sent */
		job->done = NULL;
	else if (job != NULL)
		job_free(job);
}
