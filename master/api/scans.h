/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The commands scan-init, scan-check and scan-kill, and the running scans.  A
 * scan has an id, a worker, and the records that no client has fetched yet.
 *
 * A scan of an address has a worker that opens the address.  A scan of an input
 * of a stream gets the reports of the worker that receives the input
 * (master/streams/input_scan.h).  A scan of a configured adapter has a worker
 * that reads the ring of the adapter.  A scan of another adapter has a worker
 * that opens and tunes it; this worker ends when an enabled adapter of the
 * configuration needs the frontend.
 *
 * A scan ends SCAN_LIFE_MS after the last request.  A scan whose worker has
 * ended reports the error until then.  Owns scans and their jobs; borrows the
 * loop and the reconciler.  Call scans_free() before the streams are freed.
 */
#pragma once

#include "common/base/util.h"

struct api;
struct ev_loop;
struct reconciler;
struct scans;

enum {
	SCANS_MAX = 16,
	SCAN_LIFE_MS = 10000,
	/* Limit of records that no client has fetched yet; further records are
	 * dropped, and the client is informed. */
	SCAN_RECORDS_MAX = 4096,
	/* limit of the memory of the records that no client has fetched yet */
	SCAN_BYTES_MAX = 16 * 1024 * 1024,
	SCAN_ID_TEXT = 16 + 1,
};

struct scans *scans_new(struct ev_loop *, struct reconciler *);
/* NULL-safe; sets *l to NULL. */
void scans_free(struct scans **);

/* Ends the workers of the scans whose frontend an enabled adapter needs, or
 * whose LNB it uses for another band or polarization. */
void scans_release(struct api *);
