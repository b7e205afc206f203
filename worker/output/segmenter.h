/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides where the stream in a ring is cut into segments for HLS.
 *
 * It cuts at the first join point at or after the wanted duration, by the time
 * of the stream.  A jump of that time ends the segment at the next join point,
 * and the next segment has another time base.  A change of the tracks does so
 * at once, but not in the first second of a segment that another change began,
 * or whose number has reached the seconds since 1970.
 *
 * The target duration of a playlist must not change (RFC 8216 6.2.1).  The
 * first segment decides it.  A later segment is cut at an earlier join point if
 * the next join point is likely to be behind the target, and anywhere if there
 * is none up to the target.  The first segment is cut anywhere after 20
 * seconds.
 *
 * If a process ended inside a picture, the segment ends in front of that
 * picture, because a decoder may stop for good at an incomplete picture.
 *
 * If the stream stops, the segment ends there, without the time of the pause:
 * after an outage of segmenter_idle(), or where packets return and their time
 * shows that packets are missing (a hole).  The next segment begins at a join
 * point.  If no packets are missing after an outage, it begins where the stream
 * stopped.
 *
 * Numbers of segments: a new ring begins with the seconds since 1970, and a
 * segment is at least about a second long.  The ring has a least number as
 * well, because numbers must not go back where a new ring replaces the old one,
 * even if the clock is set back or segments are shorter than a second.  Numbers
 * of time bases must be small, because players use them as indexes: a new ring
 * begins with the number of periods of five minutes since 2026.
 *
 * Pure.  Embedded.
 */
#pragma once

#include "common/base/ring_segment.h"

struct segmenter {
	unsigned duration_ms; /* wanted length of segments; 0: no segments */
	uint64_t bytes_max;   /* most bytes of a segment */
	bool begun;           /* `now' is the segment that is being written */
	bool resumed;         /* an earlier process began this segment */
	bool jumped;          /* the time of the stream has jumped since the
			       * segment began */
	bool changed;         /* the tracks have changed since the segment
			       * began */
	bool at_once;         /* after a change of the tracks the segment ends
			       * at once, not at the next join point */
	/* least numbers of the time base and of the first segment */
	uint64_t base_least, number_least;
	bool by_change;       /* the segment began at a change of the tracks */
	bool is_rest;         /* the segment began between two join points */
	unsigned longest_ms;  /* most duration of a segment; 0: not known */
	uint32_t rap_ms;      /* length of the segment at its last join point */
	uint32_t gop_ms;      /* longest distance of join points in it */
	uint32_t gop_before_ms; /* gop_ms of the segment before it */
	bool stopped;         /* the segment has ended: the next join point
			       * begins another segment */
	bool silent;          /* the segment has ended in an outage, and no PCR
			       * since then shows that packets are missing */
	bool heard;           /* a PCR has arrived since the segment ended */
	uint64_t resumed_ns;  /* time of the last segmenter_resume(); 0: none */
	bool paused;          /* packets return after a pause, and no PCR has
			       * arrived since */
	uint64_t pause_pos;   /* position of the first packet after the pause */
	uint32_t pause_ms;    /* length of the segment up to pause_pos; 0:
			       * unknown */
	struct ring_segment now;
	uint64_t begun_ns;    /* time at which the segment began */
	uint64_t ticks;       /* length of the segment by PCRs, 27 MHz */
	bool has_pcr;
	uint64_t pcr;         /* the last PCR */
	uint64_t pcr_ns;      /* time up to which `ticks' counts: the arrival of
			       * the last PCR, or of packets without PCRs */
};

/* Starts, or continues `last', the segment that an earlier process began in
 * this ring; NULL: none.  pos: the position of the next packet. */
void segmenter_init(struct segmenter *, unsigned duration_ms,
		    uint64_t bytes_max, const struct ring_segment *last,
		    uint64_t pos);

/* Call it if the previous process ended in the last unit (unit_time.h) of the
 * segment, or in the first unit of a segment behind it.  The segment ends at
 * pos, media_ms after its begin, and the next one is a discontinuity.  False:
 * the segment had ended before. */
bool segmenter_tear(struct segmenter *, uint64_t pos, uint32_t media_ms,
		    struct ring_segment *done);

/* Limits the next segments to durations that round to this target or less. */
void segmenter_limit(struct segmenter *, unsigned target_s);

/* Takes a PCR of the main program.  True: it shows that packets are missing
 * after a pause, which ends the segment: `done'. */
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
 * continue those in front of the outage.  True: no PCR contradicts that, and
 * the segment `next' begins where the last one ended. */
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
 * SEGMENTER_CUT: `done' has ended, at the join point or in front of a hole.
 * `next' begins at the join point. */
enum segmenter_cut segmenter_mark(struct segmenter *, const struct ring_rap *,
				  uint64_t now_ns, struct ring_segment *done,
				  struct ring_segment *next);
