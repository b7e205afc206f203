/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Exports the programme guide (epg_export of the settings): writes it to files
 * and has the guide's worker post it to servers, each at its interval.
 *
 * An export that fails is tried again after a pause that grows from 30 s to
 * 15 min, but is not longer than its interval.  A guide that has no events or
 * is still being loaded is not exported.  Logs the first success of an export,
 * each new error, and the success after an error.
 *
 * Borrows the loop, the process and the documents, which must outlive the
 * exports.
 */
#pragma once

#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct epg_docs;
struct epg_exports;
struct epg_proc;
struct ev_loop;

struct epg_exports_config {
	struct ev_loop *loop;
	struct epg_proc *proc;
	struct epg_docs *docs;
	const json_t *settings; /* NULL: none; borrowed for the call */
	/* The channels of the document, as playlist_channels() has them; a new
	 * reference. */
	json_t *(*channels)(void *arg);
	void *arg;
};

struct epg_exports *epg_exports_new(const struct epg_exports_config *);
/* NULL-safe; sets *e to NULL. */
void epg_exports_free(struct epg_exports **e);

/* Returns the error of export i, which begins with the name of the setting;
 * NULL: no error.  *ret_known: false if there are no more exports.
 * NULL-safe. */
const char *epg_exports_error(const struct epg_exports *, size_t i,
			      bool *ret_known);
