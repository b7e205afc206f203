/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Workers that do one thing and end: never started again, never handed to a
 * next master, a few of each kind at a time.
 *
 * struct jobs owns every process, also of jobs that nobody wants any more;
 * struct job belongs to who started it.
 */
#pragma once

#include "common/base/util.h"
#include "common/supervise/service_proc.h"

struct job;
struct jobs;

/* One of these per role; self is what job_start() was given. */
struct job_kind {
	const char *role;
	enum msg_type beat; /* it says it once a second, when it is ready */
	unsigned max;       /* processes at a time, those that end included */
	/* It said hello: tell it its work. */
	void (*on_hello)(struct channel *, void *self);
	/* What its role alone says.  Last call: job_free(). */
	void (*on_message)(const struct msg *, void *self);
	/* It ended before anybody wanted it; why is a sentence.  The job is
	 * over and to be freed, here or later. */
	void (*on_end)(const char *why, void *self);
	/* The time of job_set_deadline() has come, ended or not.  Last call:
	 * job_free(). */
	void (*on_deadline)(void *self);
};

/* on_gone of the configuration: after jobs_stop(), the last one is gone. */
struct jobs *jobs_new(const struct service_config *);
/* NULL-safe; sets *j to NULL.  Every job must be freed; processes that still
 * run are killed. */
void jobs_free(struct jobs **);

/* Ends all of them and starts no more; on_end of each follows. */
void jobs_stop(struct jobs *);
bool jobs_is_gone(const struct jobs *);

/* NULL when as many as may be run already, or all are to end. */
struct job *job_start(struct jobs *, const struct job_kind *, void *self);

/* on_deadline comes ms from now, and no earlier one. */
void job_set_deadline(struct job *, unsigned ms);

/* Its owner has done with it: the process is ended if it runs, nothing is told
 * any more.  NULL-safe; sets *j to NULL. */
void job_free(struct job **);
