/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hashes and verifies passwords in the auth worker.
 *
 * The worker starts with the first job and stays.  The worker gets at most two
 * jobs at a time; the others wait in order, urgent ones first.  A job ends as
 * AUTH_UNAVAILABLE if it is not with the worker at its deadline, if it has no
 * result at its last deadline, or if its worker ended twice.
 *
 * Owns the worker, and copies of the passwords, which it wipes.  Borrows the
 * loop and the spawner.
 */
#pragma once

#include "common/base/util.h"
#include "common/supervise/service_proc.h"

struct auth_job;
struct auth_proc;

enum {
	/* ms from auth_job_new() until the worker has the job */
	AUTH_JOB_DEADLINE_MS = 5000,
	/* ms from auth_job_new() until the worker has sent its result */
	AUTH_JOB_MOST_MS = 25000,
};

struct auth_proc *auth_proc_new(const struct service_config *);
/* NULL-safe; sets *p to NULL.  All jobs must have ended. */
void auth_proc_free(struct auth_proc **);

/* The worker, borrowed.  While it is stopped, jobs time out. */
struct service_proc *auth_proc_service(struct auth_proc *);

enum auth_outcome {
	AUTH_OK, /* hashed, or the right password */
	AUTH_WRONG, /* the password does not match the hash */
	AUTH_UNAVAILABLE, /* no result: too busy, or the worker ended */
};

struct auth_job_config {
	const char *password; /* copied */
	/* copied; the password is verified with it; NULL: a new hash is made */
	const char *hash;
	/* is sent before jobs that are not urgent and not yet with the
	 * worker */
	bool urgent;
	/* Called from the loop at the end of the job.  hash: the new hash,
	 * borrowed; "" after a verification. */
	void (*on_done)(enum auth_outcome, const char *hash, void *arg);
	void *arg;
};

struct auth_job *auth_job_new(struct auth_proc *,
			      const struct auth_job_config *);
/* Ends a job without a call of on_done.  NULL-safe; sets *j to NULL. */
void auth_job_cancel(struct auth_job **);
