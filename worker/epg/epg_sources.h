/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Imports XMLTV sources into the guide, one at a time: each source at the
 * start, after its interval, and when a stream has a new service.
 *
 * If a source fails, the guide keeps its last good document, and the import is
 * tried again sooner than after its interval.  Logs errors, and when an import
 * works again.
 *
 * In sluice-worker-net only: the functions are NULL in other programs.
 * Owns the transfers and the threads; borrows the loop and the guide.
 */
#pragma once

#include "common/base/util.h"
#include "proto/spec/epg_source.h"

#include <stddef.h>
#include <stdint.h>

struct ev_loop;
struct epg_sources;
struct guide;

struct epg_sources_status {
	uint64_t imports; /* documents that were imported */
	uint64_t changes; /* services whose events they changed */
	/* programmes that were rejected, and those that guide_import_counts
	 * counts */
	uint64_t refused, overlaps, endless, gaps;
	/* the errors of the sources that have one, each with the position of
	 * its source; borrowed */
	size_t n_errors;
	const char *errors[EPG_SOURCES_MAX];
};

#define ONLY_NET __attribute__((weak))

/* Starts the imports of the sources at these addresses (borrowed for the
 * call). */
ONLY_NET struct epg_sources *epg_sources_new(struct ev_loop *, struct guide *,
					     const char *const *addresses,
					     size_t n);
/* NULL-safe; sets *s to NULL. */
ONLY_NET void epg_sources_free(struct epg_sources **s);

ONLY_NET struct epg_sources_status
epg_sources_status(const struct epg_sources *);
