/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of streams, for status.c and status_metrics.c only. */
#pragma once

#include "master/status/status.h"
#include "master/status/status_stream.h"
#include "master/streams/reconciler.h"

#include <ev.h>

struct status {
	struct status_config cfg;
	ev_timer timer;
	struct status_stream **streams; /* sorted by id */
	size_t n;
	uint64_t changes; /* result of status_changes() */
	size_t n_hours; /* number of streams whose hour is recorded */
};

/* Asks the reconciler for the state of the process of a stream, updates by it
 * `waiting', the alarm `worker' and the errors of the stream, and returns it.
 * All zero: the reconciler does not have the stream.  The texts are borrowed
 * until the loop runs. */
struct stream_proc_info status_ask_worker(struct status *,
					  struct status_stream *);
