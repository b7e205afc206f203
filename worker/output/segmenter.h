/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides where the stream in a ring is cut into segments for HLS.
 *
 * It cuts at the first join point at or after the wanted duration, by the time
 * of the stream.  A jump of that time ends the segment at the next join point,
 * and the next segment has another time base.  A change of the tracks does so
 * at once, unless another change began the segment less than a second before.
 * A segment that is overdue is cut anywhere.
 *
 * Numbers: a new ring begins with the seconds since 1970, and a segment is at
 * least a second long.  So they never go back, even if a new ring replaces
 * the old one.  The numbers of time bases must be small, because players use
 * them as indexes: a new ring begins with the periods of five minutes since
 * 2026.
 *
 * Pure.  Embedded.
 */
#pragma once

#include "common/base/ring_segment.h"

struct segmenter {
	unsigned duration_ms; /* wanted; 0: no segments */
	uint64_t bytes_max;   /* of a segment */
	bool begun;           /* `now' is the segment that is being written */
	bool resumed;         /* ... and an earlier process began it */
	bool jumped;          /* the time has jumped since its begin */
	bool changed;         /* the tracks have changed since its begin ... */
	bool at_once;         /* ... and it may end here */
	bool by_change;       /* it began with a change of the tracks */
	struct ring_segment now;
	uint64_t begun_ns;    /* time at which it began */
	uint64_t ticks;       /* its length by the PCRs, 27 MHz */
	bool has_pcr;
	uint64_t pcr;         /* the last one ... */
	uint64_t pcr_ns;      /* ... and the time at which it arrived */
};

/* last: the segment that an earlier process began in this ring; NULL: none. */
void segmenter_init(struct segmenter *, unsigned duration_ms,
		    uint64_t bytes_max, const struct ring_segment *last);

/* Takes a PCR of the main program. */
void segmenter_pcr(struct segmenter *, uint64_t pcr, bool discontinuity,
		   uint64_t now_ns);
/* Takes the time of packets: the clock of a stream without PCRs. */
void segmenter_time(struct segmenter *, uint64_t now_ns);

/* The next packets are of other tracks. */
void segmenter_change(struct segmenter *, int64_t wall_ms, uint64_t now_ns);

/* Is a cut due that is no join point, with the next packet at pos? */
bool segmenter_is_overdue(const struct segmenter *, uint64_t pos);

enum segmenter_cut {
	SEGMENTER_NONE,
	SEGMENTER_FIRST, /* the next segment begins; none ends */
	SEGMENTER_CUT,
};

/* Takes a join point: a guess is not independent.  Returns the ended segment
 * and the segment that begins there. */
enum segmenter_cut segmenter_mark(struct segmenter *, const struct ring_rap *,
				  uint64_t now_ns, struct ring_segment *done,
				  struct ring_segment *next);
