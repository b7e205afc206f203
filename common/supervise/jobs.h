/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starts short-lived workers: each does one task, is never restarted and not
 * passed to the next master.  The number of processes of a kind is limited.
 *
 * struct jobs owns every process, also after job_free(); struct job belongs to
 * the caller of job_start().
 */
#pragma once

#include "common/base/util.h"
#include "common/supervise/service_proc.h"

struct job;
struct jobs;

/* The properties of a role; self is the argument of job_start(). */
struct job_kind {
	const char *role;
	enum msg_type beat; /* the heartbeat message, once a second */
	unsigned max; /* parallel processes, including those that are ending */
	/* Called after worker.hello: sends the work to the process. */
	void (*on_hello)(struct channel *, void *self);
	/* Called with each message of its role.  It may call job_free(), as the
	 * last thing that it does. */
	void (*on_message)(const struct msg *, void *self);
	/* Called when the process has ended without job_free(); error is a
	 * sentence.  Free the job, here or later. */
	void (*on_end)(const char *error, void *self);
	/* Called when the time of job_set_deadline() is over, also after
	 * on_end.  It may call job_free(), as the last thing that it does. */
	void (*on_deadline)(void *self);
};

/* on_gone of the configuration is called when the last process has ended after
 * jobs_stop(). */
struct jobs *jobs_new(const struct service_config *);
/* NULL-safe; sets *j to NULL.  Every job must have been freed.  Kills the
 * processes that still run. */
void jobs_free(struct jobs **);

/* Stops all processes and rejects new jobs.  on_end of each job follows. */
void jobs_stop(struct jobs *);
bool jobs_is_gone(const struct jobs *);

/* Starts a process for a job.  NULL when max processes run already, or after
 * jobs_stop(). */
struct job *job_start(struct jobs *, const struct job_kind *, void *self);

/* Sends a message to the process, with its descriptor (borrowed) if it has one.
 * 0, or -errno: the process does not run, or does not read. */
int job_send(struct job *, const struct msg *, const int *fd);

/* Calls on_deadline ms from now; replaces an earlier deadline. */
void job_set_deadline(struct job *, unsigned ms);

/* Stops the process if it runs.  No callback of the job follows.  NULL-safe;
 * sets *j to NULL. */
void job_free(struct job **);
