/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Imports the sources of the guide, one at a time: each at the start, after its
 * interval, and when a stream has a new service.
 *
 * A source that fails is tried again, sooner than its interval, and changes
 * nothing: the guide has its last good document.  Logs what changes.
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
	uint64_t imports; /* documents */
	uint64_t changes; /* services that they changed */
	/* programmes, as guide_import_counts has them */
	uint64_t refused, overlaps, endless, gaps;
	/* the error of each source that has one, with its place; borrowed */
	size_t n_errors;
	const char *errors[EPG_SOURCES_MAX];
};

#define ONLY_NET __attribute__((weak))

/* Imports the sources at these addresses, which are borrowed for the call. */
ONLY_NET struct epg_sources *epg_sources_new(struct ev_loop *, struct guide *,
					     const char *const *addresses,
					     size_t n);
/* NULL-safe; sets *s to NULL. */
ONLY_NET void epg_sources_free(struct epg_sources **s);

ONLY_NET struct epg_sources_status
epg_sources_status(const struct epg_sources *);
