/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Collects the packets of one wake-up as borrowed runs.
 *
 * An input adds runs that point into its own receive memory.  Packets that the
 * sync assembled are copied to the scratch, because the sync overwrites them
 * soon.  The batch passes its runs to its owner when it is full.  At the end of
 * a read, before the receive memory is used again, the input calls
 * batch_flush().
 */
#pragma once

#include "worker/ts/sync.h"

enum {
	BATCH_RUNS = 64,    /* runs in a batch */
	BATCH_SCRATCH = 70, /* packets in scratch */
};

/* Receives the runs, which are valid for the call. */
typedef void batch_fn(const struct ts_run *runs, size_t n_runs, void *arg);

struct batch {
	batch_fn *on_packets;
	void *arg;
	size_t n_runs;
	size_t n_scratch; /* packets in scratch */
	struct ts_run runs[BATCH_RUNS];
	uint8_t scratch[BATCH_SCRATCH * TS_PACKET];
};

void batch_init(struct batch *, batch_fn *, void *arg);

/* Adds a run.  Its bytes must not change until the batch has passed it on. */
void batch_add(struct batch *, struct ts_run);

/* Passes the collected runs to the owner and empties the batch. */
void batch_flush(struct batch *);

/* Finds packets in bytes by the sync, and adds them to the batch.  The bytes
 * must not change until batch_flush(). */
void batch_sync(struct batch *, struct ts_sync *, const void *data,
		size_t len);
