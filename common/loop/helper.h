/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs calls that may block in helper threads, because a disk or a mount may
 * not answer.
 *
 * The number of threads is limited; further calls wait for a thread in order.
 * A running call that is cancelled leaves its thread behind until the disk
 * answers.  A call that needs the same file as one in a thread waits for the
 * end of that one, so that a file that does not answer takes one thread only.
 * Owns the calls and their jobs; borrows the loop.
 */
#pragma once

#include <stdbool.h>

struct ev_loop;
struct helpers;
struct helper_call;

struct helper_kind {
	void (*run)(void *job);             /* called in a thread */
	/* called from the loop, after run */
	void (*done)(void *job, void *arg);
	void (*free)(void *job);            /* frees the job, in any thread */
	/* Do two jobs of this kind need the same file?  The function reads only
	 * what run() does not change.  NULL: never. */
	bool (*is_same)(const void *a, const void *b);
};

struct helpers *helpers_new(struct ev_loop *, unsigned threads_max);
/* NULL-safe; sets *h to NULL.  Cancels all calls and waits for none. */
void helpers_free(struct helpers **h);

/* take_job belongs to the call from now on; arg is for done.  done is not
 * called inside, and may free the helpers. */
struct helper_call *helper_call_new(struct helpers *,
				    const struct helper_kind *,
				    void *take_job, void *arg);
/* NULL-safe; sets *c to NULL.  done is not called any more. */
void helper_call_cancel(struct helper_call **c);
