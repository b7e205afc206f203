/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the configuration file and its revisions in a helper thread, for GET
 * api/revisions.
 */
#pragma once

struct api;
struct revisions_query;

/* Borrows the API. */
struct revisions_query *revisions_query_new(struct api *);
/* NULL-safe; sets *r to NULL.  Every request must have been answered or
 * dropped. */
void revisions_query_free(struct revisions_query **);
