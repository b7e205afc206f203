/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The commands scan-init, scan-check and scan-kill, and the running scans: an
 * id, a worker, and its records that no client has fetched.
 *
 * An address is opened by a worker of the scan.  An input of a stream is
 * reported by the worker that receives it (master/streams/input_scan.h).
 *
 * A scan ends SCAN_LIFE_MS after the last request; so does one whose worker
 * died, which reports the error until then.  Owns scans and their jobs; borrows
 * the loop and the jobs.  scans_free() is called before the streams are freed.
 */
#pragma once

#include "common/base/util.h"

struct ev_loop;
struct jobs;
struct scans;

enum {
	SCANS_MAX = 16,
	SCAN_LIFE_MS = 10000,
	/* records to be fetched; more are dropped and reported */
	SCAN_RECORDS_MAX = 4096,
	SCAN_BYTES_MAX = 4 * 1024 * 1024,
	SCAN_ID_TEXT = 16 + 1,
};

struct scans *scans_new(struct ev_loop *, struct jobs *);
/* NULL-safe; sets *l to NULL. */
void scans_free(struct scans **);
