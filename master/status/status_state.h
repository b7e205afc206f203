/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of streams, which status.c and status_metrics.c share. */
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
	uint64_t changes; /* see status_changes() */
	size_t n_hours; /* streams whose hour is recorded */
};

/* The process of a stream as it is now; all zero if the reconciler does not
 * know the stream.  Its texts are borrowed until the loop runs. */
struct stream_proc_info status_ask_worker(struct status *,
					  struct status_stream *);
