/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The auth worker and the passwords it is given to hash or to verify.
 *
 * The worker starts with the first job and stays.  Few jobs are with it at a
 * time, the others wait in order; one that has no result in time, or that two
 * workers died of, ends without one.
 *
 * Owns the worker and the jobs' copies of passwords, which are wiped; borrows
 * the loop and the spawner.
 */
#pragma once

#include "common/base/util.h"
#include "common/supervise/service_proc.h"

struct auth_job;
struct auth_proc;

enum { AUTH_JOB_DEADLINE_MS = 5000 };

struct auth_proc *auth_proc_new(const struct service_config *);
/* NULL-safe; sets *p to NULL.  All jobs must be over or cancelled. */
void auth_proc_free(struct auth_proc **);

/* The worker, borrowed.  When it is stopped jobs run into their deadline. */
struct service_proc *auth_proc_service(struct auth_proc *);

enum auth_outcome {
	AUTH_OK,          /* hashed, or the right password */
	AUTH_WRONG,       /* another password */
	AUTH_UNAVAILABLE, /* nobody knows: too busy, or the worker died */
};

struct auth_job_config {
	const char *password; /* copied */
	const char *hash;     /* copied: verify; NULL: make one */
	/* The end of the job, from the loop; hash: the new one,
	 * borrowed; "" for a verify. */
	void (*on_done)(enum auth_outcome, const char *hash, void *arg);
	void *arg;
};

struct auth_job *auth_job_new(struct auth_proc *,
			      const struct auth_job_config *);
/* Forgets a job that is not over; NULL-safe; sets *j to NULL. */
void auth_job_cancel(struct auth_job **);
