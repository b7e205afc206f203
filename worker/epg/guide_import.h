/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Takes the programmes of a whole document of XMLTV into the guide, or, without
 * guide_import_commit(), none.
 *
 * A channel of the document belongs to each stream whose channel has the same
 * id (guide_know_stream()) and which has one service.  If no stream has that
 * id, and the id ends with a dot and a number, the channel belongs to the
 * service with this number of the streams with the id in front of the dot.  The
 * rules:
 *
 *	- The programmes replace the events of a service that an earlier
 *	  document and the EIT named, from the start of the first programme on.
 *	  A channel without programmes changes nothing.  Sections of the EIT are
 *	  not read while the last event of their service is imported and not
 *	  over.
 *	- A programme without an end ends at the start of the next one.  It is
 *	  dropped if there is no next one, or if that begins 100 hours later or
 *	  more.
 *	- A programme ends at the latest where the next one begins.  Of
 *	  programmes with the same start the last one of the document counts.
 *	- A gap stays a gap.
 *	- Overlaps, missing ends and gaps are counted.
 *	- An event keeps its id if it moves by at most three hours, or gets
 *	  another title.
 *	- A programme that ended GUIDE_PAST_S ago, or begins after the days of
 *	  the guide, is omitted.  A programme that exceeds the limits of the
 *	  guide is dropped.
 *
 * Pure.  Borrows the guide, which may change meanwhile.
 */
#pragma once

#include "worker/epg/guide.h"
#include "worker/epg/xmltv_read.h"

struct guide_import;

struct guide_import_counts {
	uint64_t programmes; /* programmes that the guide has now */
	uint64_t channels;   /* channels of the document whose programmes the
			      * guide took */
	uint64_t cut;        /* programmes that were cut because they overlapped
			      * the next one, or dropped because it has the same
			      * start */
	uint64_t endless;    /* programmes that were dropped because they have
			      * no end, and no next one begins within 100
			      * hours */
	uint64_t gaps;       /* gaps between two programmes of a channel */
	uint64_t dropped;    /* programmes beyond a limit of the guide */
	uint64_t ambiguous;  /* channels without a number whose stream has
			      * several services */
	uint64_t changed;    /* services whose events have changed */
	/* Unix time at which the first of the omitted programmes will begin
	 * within the days of the guide; 0: no programme begins later */
	int64_t later_s;
};

/* Begins an import for the channels that the streams have now. */
struct guide_import *guide_import_new(struct guide *, int64_t now_s);
/* NULL-safe; sets *i to NULL. */
void guide_import_free(struct guide_import **);

/* True if programmes of this channel belong to a service. */
bool guide_import_wants(struct guide_import *, const char *channel);
/* Adds a programme of the channel for which guide_import_wants() was called
 * last. */
void guide_import_add(struct guide_import *, const char *channel,
		      const struct xmltv_found *);
/* Changes one service of the guide.  True: call it again; false: all services
 * have their programmes.  After the first call only guide_import_free() may
 * follow. */
bool guide_import_commit(struct guide_import *,
			 struct guide_import_counts *ret);
