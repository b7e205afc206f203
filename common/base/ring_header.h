/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What ring.c and ring_segment.c share: the header of a ring in shared memory,
 * and the state of a writer and of a reader.
 */
#pragma once

#include "common/base/ring.h"

#include <stdatomic.h>

/*
 * An entry of the index.  seq is odd while the writer changes the entry and
 * grows with every change.  A reader that reads the same even seq before and
 * after the entry has a consistent entry.  seq 0: not yet written.
 */
struct ring_entry {
	_Atomic uint64_t seq;
	_Atomic uint64_t pos;
	_Atomic uint64_t pcr;
	_Atomic uint64_t pts;
	_Atomic int64_t wall_ms;
	_Atomic uint64_t guess; /* 0 or 1 */
};

enum {
	RING_INDEPENDENT = 1,
	RING_STOPPED = 2,
};

/* An entry of a segment, guarded by seq as ring_entry is.  The duration of a
 * segment that is being written is only for the next writer. */
struct ring_segment_entry {
	_Atomic uint64_t seq;
	_Atomic uint64_t number;
	_Atomic uint64_t base;
	_Atomic uint64_t pos;
	_Atomic uint64_t end; /* position; 0: the segment is being written */
	_Atomic uint64_t pcr;
	_Atomic uint64_t pts;
	_Atomic int64_t wall_ms;
	_Atomic uint64_t duration_ms;
	_Atomic uint64_t flags; /* bits: RING_INDEPENDENT, RING_STOPPED */
};

/* An entry of a part of a segment, guarded by seq as ring_entry is. */
struct ring_part_entry {
	_Atomic uint64_t seq;
	_Atomic uint64_t number;
	_Atomic uint64_t index;
	_Atomic uint64_t pos;
	_Atomic uint64_t end;
	_Atomic uint64_t duration_ms;
	_Atomic uint64_t independent; /* 0 or 1 */
};

/* Where an access unit begins.  The writer changes pos last. */
struct ring_unit_entry {
	_Atomic uint64_t pos;
	/* time from the start of its segment to the unit */
	_Atomic uint64_t ms;
};

/* The first RING_DATA bytes of the file. */
struct ring_header {
	uint64_t magic;
	uint32_t version;
	uint32_t index_len;
	uint64_t size; /* bytes of the data: the largest window */
	/* the fields that change have cache lines of their own */
	_Alignas(64) _Atomic uint64_t pos; /* published position */
	/* entries of index completed since the ring was made */
	_Atomic uint64_t n_marks;
	/* struct layout in one number.  The writer changes it before it
	 * publishes a position behind the old window.  Positions in front of
	 * the end of the old window are at the same place in both windows. */
	_Atomic uint64_t layout;
	_Alignas(64) struct ring_entry index[RING_INDEX];
	/* segments begun since the table was last empty, without those that
	 * ring_segment_undo() has removed */
	_Alignas(64) _Atomic uint64_t n_segments;
	_Atomic uint64_t target_s;
	/* [0]: the newest access unit that begins in front of the published
	 * position; [1]: the access unit that was in [0] before.  pos 0:
	 * none. */
	struct ring_unit_entry units[2];
	_Alignas(64) struct ring_segment_entry segments[RING_SEGMENTS];
	/* parts written since the ring was made */
	_Alignas(64) _Atomic uint64_t n_parts;
	_Atomic uint64_t part_target_ms;
	/* the least discontinuity and media sequence numbers of new segments:
	 * see ring_set_least() */
	_Atomic uint64_t base_least, number_least;
	_Alignas(64) struct ring_part_entry parts[RING_PARTS];
};

/* The window: its start, as a position, and its bytes.  In the header base is
 * in the upper 48 bits and window in the lower 16, in units of RING_UNIT. */
struct layout {
	uint64_t base;
	size_t window;
};

struct ring_writer {
	struct ring_header *header;
	uint8_t *data;
	size_t size;
	struct layout layout;
	/* size of the window that ring_grow() asked for; 0: no change */
	size_t wanted;
	uint64_t pos;  /* committed position, perhaps not yet published */
	/* position where the newest access unit begins; 0: none yet */
	uint64_t unit_pos;
	uint64_t unit_ms; /* time from the start of its segment to this unit */
};

struct ring_reader {
	const struct ring_header *header;
	const uint8_t *data; /* NULL: not mapped */
	size_t size; /* from the sealed length of the file */
	struct layout layout;
	uint64_t pos;
	bool broken;
};

static inline bool ring_is_sound_pos(uint64_t pos)
{
	return pos <= INT64_MAX && pos % RING_PACKET == 0;
}
