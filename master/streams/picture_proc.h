/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the worker that makes pictures of streams, one after the other.
 *
 * The worker starts with the first job and ends after a minute without jobs.  A
 * stream whose packets crash the worker gets no picture for a while, so that
 * other streams still get pictures.
 *
 * Owns the worker and the jobs; borrows the loop and the spawner.
 */
#pragma once

#include "common/base/util.h"
#include "common/supervise/service_proc.h"
#include "proto/ipc/msg.h"

struct picture_job;
struct picture_proc;

enum {
	PICTURE_JOBS_MAX = 64,
	PICTURE_DEADLINE_MS = 5000,
	PICTURE_IDLE_S = 60,
	PICTURE_WIDTH = 320,
	/* Time in seconds for which a stream that crashed the worker gets no
	 * picture.  Each further crash doubles the time, up to
	 * PICTURE_PAUSE_MAX_S. */
	PICTURE_PAUSE_S = 30,
	PICTURE_PAUSE_MAX_S = 3600,
};

struct picture_proc *picture_proc_new(const struct service_config *);
/* NULL-safe; sets *p to NULL.  No job may be open. */
void picture_proc_free(struct picture_proc **);

struct service_proc *picture_proc_service(struct picture_proc *);

/* Gets the picture in the first len bytes of fd (borrowed); len 0: error is the
 * reason. */
typedef void picture_done_fn(const struct msg_picture_result *, int fd,
			     void *arg);

/* Requests the picture of a stream from its ring (borrowed).  done is called
 * once, from the loop.  NULL: picture_proc_refusal() has the reason, or no
 * descriptor is free. */
struct picture_job *picture_job_new(struct picture_proc *, const char *stream,
				    int ring, picture_done_fn *done,
				    void *arg);
/* Cancels a job: done is not called any more.  NULL-safe; sets *j to NULL. */
void picture_job_cancel(struct picture_job **);

/* Returns why the stream gets no picture now; NULL: it may get one. */
const char *picture_proc_refusal(const struct picture_proc *,
				 const char *stream);
