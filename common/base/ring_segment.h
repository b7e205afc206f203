/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The newest media segments of a ring, in its header: a table that the writer
 * fills, and from which all readers make the same playlists.  The table
 * outlives the writer and the readers.
 *
 * Segments follow each other without a gap, except behind a segment in which
 * the stream stopped.  The newest one is being written, unless the stream
 * stopped in it.
 */
#pragma once

#include "common/base/ring.h"

enum {
	/* Readers reject segments and parts that are longer. */
	RING_SEGMENT_MAX_MS = 180 * 1000,
	/* Readers reduce a greater target duration to this one. */
	RING_TARGET_MAX_S = RING_SEGMENT_MAX_MS / 1000,
};

/* The greatest sequence number.  Players may read numbers as doubles, which
 * have all integers up to 2^53. */
#define RING_NUMBER_MAX (UINT64_C(1) << 52)

struct ring_segment {
	uint64_t number;      /* media sequence number */
	uint64_t base;        /* discontinuity sequence number: segments with
			       * the same one have the same time base and
			       * the same tracks */
	uint64_t pos, end; /* positions in the ring; end 0: is being written */
	/* at its start: 27 MHz and 90 kHz, as in a ring_rap */
	uint64_t pcr, pts;
	int64_t wall_ms;      /* CLOCK_REALTIME of its start */
	uint32_t duration_ms; /* > 0; valid once the segment has an end */
	bool independent;     /* begins with a random access point */
	/* the segment has an end, at which the stream stopped: the bytes that
	 * follow belong to no segment or to the next one */
	bool stopped;
};

/* A part of a segment, for low latency.  The parts of a segment follow each
 * other without a gap, and together they are the segment. */
struct ring_part {
	uint64_t number;      /* media sequence number of its segment */
	uint32_t index;       /* index of the part in its segment, from 0 */
	uint64_t pos, end;
	uint32_t duration_ms; /* > 0 */
	bool independent;     /* begins with a random access point */
};

/* The first base of a stream that starts at this time.  It is greater than the
 * bases of earlier runs of the service, if these used at most one base in each
 * unit of 300 s.  The unit is long, so that the number is small: hls.js loops
 * up to this number with each playlist, and a number of seconds would stop it
 * for minutes. */
uint64_t ring_base_at(uint64_t wall_s);

/* --- master --- */

/* From now on no segment of the ring of fd (borrowed), which has none yet, gets
 * a base or number below these.  0 or -errno. */
int ring_set_least(int fd, uint64_t base, uint64_t number) MUST_CHECK;

/* --- writer --- */

/* The least base of a new segment that does not continue the segment before
 * it. */
uint64_t ring_writer_base(const struct ring_writer *);
/* The least media sequence number of a new segment that does not continue the
 * segment before it. */
uint64_t ring_writer_number(const struct ring_writer *);

/* The newest segment, which the writer before this one began or stopped; false:
 * the table has none, or the entry of this segment is incomplete, does not fit
 * the position, or has an end without being stopped.  If it has no end, its
 * duration is that of ring_segment_advance(). */
bool ring_writer_segment(const struct ring_writer *, struct ring_segment *ret);

/* Replaces the newest segment by `done', which has its end (NULL: no segment is
 * open), and begins `next'.  All bytes of `done' are published. */
void ring_segment_cut(struct ring_writer *, const struct ring_segment *done,
		      const struct ring_segment *next);

/* Ends the newest segment as ring_segment_cut() does, and begins no other one:
 * the stream has stopped. */
void ring_segment_stop(struct ring_writer *, const struct ring_segment *done);

/* Stores the present duration of the newest segment, which is being written,
 * for the next writer.  Readers do not get this duration. */
void ring_segment_advance(struct ring_writer *, uint32_t duration_ms);

/* Stores that an access unit begins at the write position, ms after the start
 * of the newest segment. */
void ring_unit_begin(struct ring_writer *, uint32_t ms);

/* Publishes all packets.  ring_unit_torn() does not report the last unit,
 * because another writer of this process continues it. */
void ring_unit_goes_on(struct ring_writer *);

/* Where, and at which time of its segment, the last unit of an earlier writer
 * begins.  This unit may be incomplete.  False: there is none.  Call this
 * before packets are written. */
bool ring_unit_torn(const struct ring_writer *, uint64_t *ret_pos,
		    uint32_t *ret_ms);

/* Removes the newest segment, which no reader can see yet: the stream then
 * stopped at the end of the segment before it (*ret).  False: there is no such
 * segment, and the table is empty from now on. */
bool ring_segment_undo(struct ring_writer *, struct ring_segment *ret);

/* Raises the target duration to s seconds; a lower value has no effect. */
void ring_segment_target(struct ring_writer *, unsigned s);
unsigned ring_writer_target(const struct ring_writer *);

/* Adds a part, whose bytes are published. */
void ring_part_add(struct ring_writer *, const struct ring_part *);

/* The part that follows the known ones of this segment: its number, index,
 * position and, as its duration, the time in the segment at its begin.  False:
 * the table does not have all parts in front of it. */
bool ring_writer_part(const struct ring_writer *, const struct ring_segment *,
		      struct ring_part *ret);

/* Sets the target duration of parts; 0: no further part follows. */
void ring_part_target(struct ring_writer *, unsigned ms);
unsigned ring_writer_part_target(const struct ring_writer *);

/* --- reader --- */

struct ring_segments {
	size_t n;            /* complete segments in list, oldest first */
	struct ring_segment list[RING_SEGMENTS];
	/* the segment `open' follows them; false: the stream has stopped */
	bool has_open;
	struct ring_segment open;
	/* the writer changed the table during the read: the newest segment is
	 * left out, or the parts do not belong to these segments */
	bool changes;
	/* target duration: no segment rounds to more seconds */
	unsigned target_s;
};

/* The newest segments that follow each other, that are sound and that begin in
 * the ring, at most back bytes before its end. */
void ring_reader_segments(struct ring_reader *, size_t back,
			  struct ring_segments *ret);

/* The base of the newest segment, or a greater one if its entry is incomplete;
 * 0: there is none. */
uint64_t ring_reader_base(const struct ring_reader *);
/* The number of the newest segment, or a greater one if its entry is
 * incomplete; 0: there is none. */
uint64_t ring_reader_number(const struct ring_reader *);

/* A value that changes with each new segment and part. */
uint64_t ring_reader_news(const struct ring_reader *);

struct ring_parts {
	size_t n;            /* parts in list, oldest first */
	struct ring_part list[RING_PARTS];
	unsigned target_ms;  /* target duration of parts: no part is longer */
	bool ended;          /* no further part follows */
};

/* The newest parts that follow each other and are sound, at most back bytes
 * before the end. */
void ring_reader_parts(struct ring_reader *, size_t back,
		       struct ring_parts *ret);

/* Reads segments and parts of the same moment: the writer may add to each
 * between two calls.  After four tries during which the writer did so,
 * `changes' is true. */
void ring_reader_lists(struct ring_reader *, size_t back,
		       struct ring_segments *, struct ring_parts *);
