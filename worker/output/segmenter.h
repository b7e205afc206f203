/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides where the stream in a ring is cut into segments for HLS.
 *
 * It cuts at the first join point at or after the wanted duration, by the time
 * of the stream.  A jump of that time ends the segment at the next join point,
 * and the next segment has another time base.  A change of the tracks does so
 * at once, unless another change began the segment less than a second before.
 *
 * The target duration of a playlist must not change (RFC 8216 6.2.1).  The
 * first segment decides it.  A later one is cut at an earlier join point if the
 * next is likely to be behind the target, and anywhere if there is none up to
 * the target.  The first one is cut anywhere after 20 seconds.
 *
 * A segment in whose last picture a process ended is whole in front of that
 * picture, and ends there: a decoder may stop at a torn one for good.
 *
 * A segment in which the stream stops ends there, without the time of the hole,
 * and the next one begins at a join point: after an outage of segmenter_idle(),
 * or where packets return and their time shows that some are lacking.  If none
 * are lacking after an outage, the next one begins where the stream stopped.
 *
 * Numbers: a new ring begins with the seconds since 1970, and a segment is a
 * second long, or a little less.  The ring has a least number as well, because
 * they must not go back where a new ring replaces the old one, also if the
 * clock is set back or segments are shorter than a second.  The numbers of time
 * bases must be small, because players use them as indexes: a new ring begins
 * with the periods of five minutes since 2026.
 *
 * Pure.  Embedded.
 */
#pragma once

#include "common/base/ring_segment.h"

struct segmenter {
	unsigned duration_ms; /* wanted; 0: no segments */
	uint64_t bytes_max;   /* of a segment */
	bool begun;           /* `now' is the segment that is being written */
	bool resumed;         /* an earlier process began this segment */
	bool jumped;          /* the time has jumped since its begin */
	bool changed;         /* the tracks have changed since its begin */
	bool at_once;         /* after such a change: it may end here */
	uint64_t base_least, number_least; /* of the first segment */
	bool by_change;       /* it began with a change of the tracks */
	bool is_rest;         /* it began between two join points */
	unsigned longest_ms;  /* limit of its duration; 0: none yet */
	uint32_t rap_ms;      /* its length at its last join point */
	uint32_t gop_ms;      /* longest distance of its join points */
	uint32_t gop_before_ms; /* the same of the segment before it */
	bool stopped;         /* the segment has ended: the next join point
			       * begins another one */
	bool silent;          /* it has ended in an outage, and no time behind
			       * it shows that packets are lacking */
	bool heard;           /* a PCR came behind it */
	uint64_t resumed_ns;  /* end of the last such outage; 0: none */
	bool paused;          /* packets return after a pause, and no time
			       * of them is known yet: */
	uint64_t pause_pos;   /* where they begin */
	uint32_t pause_ms;    /* length of the segment up to there; 0:
			       * unknown */
	struct ring_segment now;
	uint64_t begun_ns;    /* time at which it began */
	uint64_t ticks;       /* its length by the PCRs, 27 MHz */
	bool has_pcr;
	uint64_t pcr;         /* the last PCR */
	uint64_t pcr_ns;      /* the time at which it arrived */
};

/* Starts, or continues `last', the segment that an earlier process began in
 * this ring; NULL: none.  pos: the position of the next packet. */
void segmenter_init(struct segmenter *, unsigned duration_ms,
		    uint64_t bytes_max, const struct ring_segment *last,
		    uint64_t pos);

/* Call it if the previous process ended in the last unit of the segment, or in
 * the first unit of a segment behind it.  The segment ends at pos, media_ms
 * after its begin, and the next one is a discontinuity.  False: it had
 * ended. */
bool segmenter_tear(struct segmenter *, uint64_t pos, uint32_t media_ms,
		    struct ring_segment *done);

/* Limits the next segments to durations that round to this target or less. */
void segmenter_limit(struct segmenter *, unsigned target_s);

/* Takes a PCR of the main program.  True: it shows a hole in the stream, which
 * ends the segment: `done'. */
bool segmenter_pcr(struct segmenter *, uint64_t pcr, bool discontinuity,
		   uint64_t now_ns, struct ring_segment *done);
/* Takes the time of packets: the clock of a stream without PCRs. */
void segmenter_time(struct segmenter *, uint64_t now_ns);

/* Packets return after a pause, at pos.  media_ms: the length of the segment up
 * to pos; 0: unknown. */
void segmenter_pause(struct segmenter *, uint64_t pos, uint32_t media_ms,
		     uint64_t now_ns);

/* Call it after an outage of segmenter_idle_ms(): no packet has arrived behind
 * pos.  True: this ends the segment, which is `done'. */
bool segmenter_idle(struct segmenter *, uint64_t pos, uint32_t media_ms,
		    struct ring_segment *done);
/* The length of an outage, in ms, after which segmenter_idle() is called. */
unsigned segmenter_idle_ms(const struct segmenter *);

/* Call it when packets have returned after segmenter_idle(), and their pictures
 * continue those before.  True: no PCR contradicts that, and the segment `next'
 * begins where the last one ended. */
bool segmenter_resume(struct segmenter *, uint64_t now_ns,
		      struct ring_segment *next);

/* Call it when the next packets are of other tracks. */
void segmenter_change(struct segmenter *, int64_t wall_ms, uint64_t now_ns);

/* True if the segment must be cut at pos although no join point has come. */
bool segmenter_is_overdue(const struct segmenter *, uint64_t pos);

enum segmenter_cut {
	SEGMENTER_NONE,
	SEGMENTER_FIRST, /* the next segment begins; none ends */
	SEGMENTER_CUT,
};

/* Takes a join point; a segment that begins at a guess is not independent.
 * SEGMENTER_CUT: `done' has ended.  `next' begins at the join point, or behind
 * a hole. */
enum segmenter_cut segmenter_mark(struct segmenter *, const struct ring_rap *,
				  uint64_t now_ns, struct ring_segment *done,
				  struct ring_segment *next);
