/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Takes the programmes of a whole document of XMLTV into the guide, or none.
 *
 * A channel is that of each stream whose channel has its id
 * (guide_know_stream()), and which has one service; with a dot and a number
 * behind that id it is that service.  The rules:
 *  - The programmes replace what an earlier document and the EIT said, from
 *    the start of the first one on.  A channel without programmes changes
 *    nothing.  Sections of the EIT are not read while the last imported event
 *    of their service is not over.
 *  - A programme without an end ends at the start of the next one; the last one
 *    without an end is dropped.
 *  - A programme ends where the next one begins.  Of those with the same start
 *    the last one of the document counts.
 *  - A gap stays a gap.
 *  - Overlaps, missing ends and gaps are counted.
 *  - An event keeps its id as long as it has the same start.
 *  - A programme that is over, or begins after the days of the guide, is
 *    omitted.  One that exceeds the limits of the guide is dropped.
 *
 * Pure.  Borrows the guide, which may change meanwhile.
 */
#pragma once

#include "worker/epg/guide.h"
#include "worker/epg/xmltv_read.h"

struct guide_import;

struct guide_import_counts {
	uint64_t programmes; /* that are in the guide now */
	uint64_t channels;   /* of the guide that had some */
	uint64_t cut;        /* that overlapped the next one */
	uint64_t endless;    /* without an end */
	uint64_t gaps;       /* between two of a channel */
	uint64_t dropped;    /* beyond a limit of the guide */
	uint64_t ambiguous;  /* channels of a stream with several services */
	uint64_t changed;    /* services */
	/* Unix time from which the days of the guide have a programme that
	 * begins after them; 0: none does */
	int64_t later_s;
};

/* Begins an import for the channels that the streams have now. */
struct guide_import *guide_import_new(struct guide *, int64_t now_s);
/* NULL-safe; sets *i to NULL. */
void guide_import_free(struct guide_import **);

bool guide_import_wants(struct guide_import *, const char *channel);
void guide_import_add(struct guide_import *, const char *channel,
		      const struct xmltv_found *);
/* Changes one service of the guide.  True: call it again; false: all services
 * have their programmes.  No other function may follow the first call. */
bool guide_import_commit(struct guide_import *,
			 struct guide_import_counts *ret);
