/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests the tables of an input from the worker that receives it.
 *
 * A stream reports one input at a time; requests for the same input share the
 * reports.  Each owner frees its request; the stream owns the list and calls
 * on_end when its worker ends.  Borrows the worker.
 */
#pragma once

#include "common/base/util.h"
#include "proto/ipc/msg.h"

#include <jansson.h>
#include <sys/queue.h>

struct input_scan;
struct worker_proc;

struct input_scan_events {
	/* A record of a table (proto/si/record.h), borrowed. */
	void (*on_record)(const json_t *record, void *arg);
	/* No record follows; the receiver must call input_scan_free(). */
	void (*on_end)(const char *error, void *arg);
};

/* The requests for one stream. */
struct input_scans {
	struct worker_proc *worker;
	unsigned position; /* the input of all requests, from 1 */
	LIST_HEAD(, input_scan) list;
};

void input_scans_init(struct input_scans *, struct worker_proc *);

/* Starts a request.  NULL with *ret_err: -EBUSY: another input of the stream is
 * being reported.  -ESRCH: no worker runs.  Or another -errno. */
struct input_scan *input_scan_start(struct input_scans *, unsigned position,
				    const struct input_scan_events *,
				    void *arg, int *ret_err);
/* Prolongs the reports, which the worker ends SCAN_KEEP_S after the last call.
 * Does nothing after on_end. */
void input_scan_keep(struct input_scan *);
/* NULL-safe; sets *s to NULL.  The worker ends the reports if no request is
 * left. */
void input_scan_free(struct input_scan **);

/* Passes a record of the worker to all requests for its input. */
void input_scans_record(struct input_scans *, const struct msg_stream_record *);
/* The worker has ended: calls on_end of all requests. */
void input_scans_down(struct input_scans *);
