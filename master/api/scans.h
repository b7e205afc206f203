/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The commands scan-init, scan-check and scan-kill, and the running scans: an
 * id, a worker, and its records that no client has fetched.
 *
 * An address is opened by a worker of the scan.  An input of a stream is
 * reported by the worker that receives it (master/streams/input_scan.h).  A
 * worker of the scan reads the ring of an adapter, or opens an adapter that is
 * not configured and tunes it; it ends when an adapter needs the frontend.
 *
 * A scan ends SCAN_LIFE_MS after the last request; so does one whose worker
 * died, which reports the error until then.  Owns scans and their jobs; borrows
 * the loop and the reconciler.  scans_free() is called before the streams are
 * freed.
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
	/* records to be fetched; more are dropped and reported */
	SCAN_RECORDS_MAX = 4096,
	SCAN_BYTES_MAX = 16 * 1024 * 1024, /* their memory */
	SCAN_ID_TEXT = 16 + 1,
};

struct scans *scans_new(struct ev_loop *, struct reconciler *);
/* NULL-safe; sets *l to NULL. */
void scans_free(struct scans **);

/* Ends the scans whose frontend belongs to an enabled adapter. */
void scans_release(struct api *);
