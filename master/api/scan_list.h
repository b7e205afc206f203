/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The running scans: an id, a worker, and its records that no client has
 * fetched.
 *
 * A scan ends SCAN_LIFE_MS after the last request; so does one whose worker
 * died, which reports the error until then.  Owns scans and their jobs; borrows
 * the jobs.
 */
#pragma once

#include "common/base/util.h"

#include <jansson.h>

struct jobs;
struct scan;
struct scan_list;

enum {
	SCANS_MAX = 16,
	SCAN_LIFE_MS = 10000,
	/* records to be fetched; more are dropped and reported */
	SCAN_RECORDS_MAX = 4096,
	SCAN_BYTES_MAX = 4 * 1024 * 1024,
	SCAN_ID_TEXT = 16 + 1,
};

struct scan_list *scan_list_new(struct jobs *);
/* NULL-safe; sets *l to NULL. */
void scan_list_free(struct scan_list **);

/* Begins to read the address, which was judged; NULL when SCANS_MAX run. */
struct scan *scan_new(struct scan_list *, const char *address);

/* NULL-safe; sets *s to NULL. */
void scan_free(struct scan **);

/* NULL when there is none. */
struct scan *scan_find(const struct scan_list *, const char *id);
const char *scan_id(const struct scan *);

/* Keeps it alive and adds to the reply: `scan`, when there are new records;
 * `error` while there is one; `truncated` when some were dropped. */
void scan_fetch(struct scan *, json_t *reply);
