/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The commands scan-init, scan-check and scan-kill, and the running scans: an
 * id, a worker, and its records that no client has fetched.
 *
 * A scan ends SCAN_LIFE_MS after the last request; so does one whose worker
 * died, which reports the error until then.  Owns scans and their jobs; borrows
 * the jobs.
 */
#pragma once

#include "common/base/util.h"

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

struct scans *scans_new(struct jobs *);
/* NULL-safe; sets *l to NULL. */
void scans_free(struct scans **);
