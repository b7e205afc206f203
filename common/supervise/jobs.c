/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/jobs.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"
#include "common/loop/timer.h"
#include "common/supervise/worker_proc.h"
#include "proto/ipc/channel.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>

struct job {
	LIST_ENTRY(job) link;
	struct jobs *jobs;
	const struct job_kind *kind;
	void *self;
	struct worker_proc *proc; /* NULL: the process has ended */
	bool freed; /* job_free() was called; the process still runs */
	ev_timer deadline;
};

struct jobs {
	struct service_config cfg;
	LIST_HEAD(, job) list;
	unsigned last; /* number of jobs so far, for their names */
	bool stopping;
};

static void job_delete(struct job *j)
{
	LIST_REMOVE(j, link);
	ev_timer_stop(j->jobs->cfg.loop, &j->deadline);
	worker_proc_free(&j->proc);
	free(j);
}

static void on_hello(struct worker_proc *proc, struct channel *channel,
		     void *arg)
{
	struct job *j = arg;

	(void)proc;
	if (!j->freed)
		j->kind->on_hello(channel, j->self);
}

static void on_message(struct worker_proc *proc, const struct msg *m,
		       void *arg)
{
	struct job *j = arg;

	(void)proc;
	if (!j->freed)
		j->kind->on_message(m, j->self);
}

static void on_down(struct worker_proc *proc, void *arg)
{
	(void)proc, (void)arg; /* on_gone follows */
}

static void on_gone(struct worker_proc *proc, void *arg)
{
	struct job *j = arg;
	struct jobs *jobs = j->jobs;
	const struct service_config cfg = jobs->cfg;
	bool stopping = jobs->stopping;

	if (j->freed) {
		job_delete(j);
	} else {
		const char *end = worker_proc_last_end(proc);
		struct errmsg error;

		errmsg_set(&error, "%s", end[0] != '\0' ? end : "ended");
		worker_proc_free(&j->proc);
		j->kind->on_end(error.text, j->self);
	}
	/* on_end may have freed `jobs', except while they are stopping, because
	 * their owner waits for on_gone */
	if (stopping && jobs_is_gone(jobs))
		cfg.on_gone(cfg.arg);
}

static const struct worker_proc_events events = {
	.on_hello = on_hello,
	.on_message = on_message,
	.on_down = on_down,
	.on_gone = on_gone,
};

struct jobs *jobs_new(const struct service_config *cfg)
{
	struct jobs *jobs = xcalloc(1, sizeof *jobs);

	jobs->cfg = *cfg;
	LIST_INIT(&jobs->list);
	return jobs;
}

void jobs_free(struct jobs **jobs)
{
	struct job *j;

	if (*jobs == NULL)
		return;
	while ((j = LIST_FIRST(&(*jobs)->list)) != NULL) {
		assert(j->freed);
		job_delete(j);
	}
	free(*jobs);
	*jobs = NULL;
}

void jobs_stop(struct jobs *jobs)
{
	struct job *j, *next;

	jobs->stopping = true;
	for (j = LIST_FIRST(&jobs->list); j != NULL; j = next) {
		next = LIST_NEXT(j, link);
		if (j->proc != NULL)
			worker_proc_unwant(j->proc);
	}
}

bool jobs_is_gone(const struct jobs *jobs)
{
	const struct job *j;

	LIST_FOREACH(j, &jobs->list, link)
		if (j->proc != NULL)
			return false;
	return true;
}

static void on_deadline(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct job *j = container_of(t, struct job, deadline);

	(void)loop, (void)revents;
	j->kind->on_deadline(j->self);
}

struct job *job_start(struct jobs *jobs, const struct job_kind *kind,
		      void *self)
{
	unsigned running = 0;
	char name[16];
	struct job *j;

	LIST_FOREACH(j, &jobs->list, link)
		running += j->kind == kind && j->proc != NULL;
	if (jobs->stopping || running >= kind->max)
		return NULL;
	j = xcalloc(1, sizeof *j);
	j->jobs = jobs;
	j->kind = kind;
	j->self = self;
	ev_init(&j->deadline, on_deadline);
	(void)snprintf(name, sizeof name, "%u", ++jobs->last);
	j->proc = worker_proc_new(&(struct worker_proc_config){
		.loop = jobs->cfg.loop,
		.spawner = jobs->cfg.spawner,
		.role = kind->role,
		.object = name,
		.beat = kind->beat,
		.once = true,
		.events = &events,
		.arg = j,
	});
	/* sluice-worker-net, because a job may open an input of any type */
	worker_proc_use(j->proc, SPAWN_WORKER_NET, kind->role);
	LIST_INSERT_HEAD(&jobs->list, j, link);
	worker_proc_want(j->proc);
	return j;
}

int job_send(struct job *j, const struct msg *m, const int *fd)
{
	struct channel *channel =
		j->proc != NULL ? worker_proc_channel(j->proc) : NULL;

	return channel != NULL ? channel_send(channel, m, fd, fd != NULL)
			       : -ESRCH;
}

void job_set_deadline(struct job *j, unsigned ms)
{
	timer_start(j->jobs->cfg.loop, &j->deadline, ms / 1e3);
}

void job_free(struct job **job)
{
	struct job *j = *job;

	*job = NULL;
	if (j == NULL)
		return;
	j->freed = true;
	ev_timer_stop(j->jobs->cfg.loop, &j->deadline);
	if (j->proc != NULL)
		worker_proc_unwant(j->proc); /* on_gone frees it */
	else
		job_delete(j);
}
