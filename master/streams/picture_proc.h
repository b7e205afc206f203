/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the worker that makes pictures of streams, one after the other.
 *
 * The worker runs from the first job on, until there was none for a minute.  A
 * stream whose picture ends it gets none for a while, so that the others do.
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
	/* A stream that ended the worker: the first pause, doubled each time,
	 * and the longest. */
	PICTURE_PAUSE_S = 30,
	PICTURE_PAUSE_MAX_S = 3600,
};

struct picture_proc *picture_proc_new(const struct service_config *);
/* NULL-safe; sets *p to NULL.  All jobs must have ended. */
void picture_proc_free(struct picture_proc **);

struct service_proc *picture_proc_service(struct picture_proc *);

/* Was this program built with the worker? */
bool picture_proc_is_built(void);

/* The picture is in the first bytes of fd (borrowed), with len > 0; else error
 * says why there is none. */
typedef void picture_done_fn(const struct msg_picture_result *, int fd,
			     void *arg);

/* The picture of a stream, with the descriptor of its ring (borrowed).  done is
 * called from the loop.  NULL: see picture_proc_refusal(), or the machine has
 * no descriptor left. */
struct picture_job *picture_job_new(struct picture_proc *, const char *stream,
				    int ring, picture_done_fn *done,
				    void *arg);
/* Ends a job without a call.  NULL-safe; sets *j to NULL. */
void picture_job_cancel(struct picture_job **);

/* Why the stream gets no picture now; NULL: it may get one. */
const char *picture_proc_refusal(const struct picture_proc *,
				 const char *stream);
