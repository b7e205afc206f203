/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The scan of an adapter that is not configured: opens it, tunes as
 * proto/spec/scan_spec.h says, and reports transponders and services.
 *
 * Every tuning has a deadline for the lock and one for the tables.  After the
 * last one of several the device is closed; a single transponder is reported
 * until the process ends.  Owns the source; borrows the worker.
 */
#pragma once

#include "worker/adapter/source.h"

struct adapter_task;
struct grants;
struct worker;

/* Enters the sandbox and starts the scan; NULL: the worker ends.  Copies scan.
 * open: opens the source in a test; NULL: the usual function. */
struct adapter_task *adapter_task_new(struct worker *, const json_t *scan,
				      source_open_fn *open);
/* NULL-safe; sets *t to NULL. */
void adapter_task_free(struct adapter_task **);
