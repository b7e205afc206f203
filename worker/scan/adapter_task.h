/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The scan of an adapter that is not configured: opens the adapter, tunes it as
 * proto/spec/scan_spec.h says, and reports transponders and services.
 *
 * Each tuning of a network or blind scan has a time limit for the lock and one
 * for the tables; after the last tuning the device is closed.  A single
 * transponder is reported until the process ends.  Owns the source; borrows the
 * worker.
 */
#pragma once

#include "worker/adapter/source.h"

struct adapter_task;
struct grants;
struct worker;

/* Enters the sandbox and starts the scan; NULL: that failed, and the worker
 * exits.  Copies scan.  open: opens the source, in tests; NULL:
 * source_open(). */
struct adapter_task *adapter_task_new(struct worker *, const json_t *scan,
				      source_open_fn *open);
/* NULL-safe; sets *t to NULL. */
void adapter_task_free(struct adapter_task **);
