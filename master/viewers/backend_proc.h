/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Asks the authorization backend about viewers, by the worker of the role
 * backend.
 *
 * The worker starts with the first job and stays.  It gets at most
 * BACKEND_WITH_WORKER_MAX requests at a time; other jobs wait in order.  A job
 * that has no result BACKEND_DEADLINE_MS after it was sent, or that waited as
 * long for a worker that does not run, fails: the backend is unavailable.  A
 * job ends without a result (NULL) if it waited as long behind other jobs, or
 * if the worker could not take it.
 *
 * Owns the worker; borrows the loop and the spawner.
 */
#pragma once

#include "common/supervise/service_proc.h"
#include "common/base/util.h"
#include "proto/ipc/msg.h"

struct backend_job;
struct backend_proc;

enum {
	BACKEND_DEADLINE_MS = 3000,
	BACKEND_WITH_WORKER_MAX = 64,
	BACKEND_JOBS_MAX = 2048,
};

struct backend_proc *backend_proc_new(const struct service_config *);
/* NULL-safe; sets *p to NULL.  All jobs must have ended or been
 * cancelled. */
void backend_proc_free(struct backend_proc **);

/* Returns the worker, borrowed. */
struct service_proc *backend_proc_service(struct backend_proc *);

/* Gets the result, borrowed.  Status 0 with error: the backend is unavailable.
 * NULL: the backend was not asked. */
typedef void backend_done_fn(const struct msg_backend_result *, void *arg);

/* Starts a job with a copy of the message.  done is called from the loop.
 * NULL: too many jobs wait. */
struct backend_job *backend_job_new(struct backend_proc *,
				    const struct msg_backend_ask *,
				    backend_done_fn *done, void *arg);
/* Cancels a job: done is not called any more.  A job that was sent still counts
 * for BACKEND_WITH_WORKER_MAX until its result or deadline, because the worker
 * continues the request.  NULL-safe; sets *j to NULL. */
void backend_job_cancel(struct backend_job **);
