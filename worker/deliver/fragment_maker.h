/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes a fragment of fMP4 from the bytes of a ring.
 *
 * A part continues where the previous part has ended, so that each byte of a
 * segment is read about once.  For a segment that does not begin with a random
 * access point, reading continues at the end of the previous segment, or begins
 * at the last segment in front of it that begins with such a point.  Many bytes
 * are read in several iterations of the loop.
 *
 * Embedded.  Borrows the mount and the store.
 */
#pragma once

#include "common/base/errmsg.h"
#include "worker/fragment/fmp4.h"

#include <stdbool.h>
#include <stdint.h>

struct fragment;
struct fragment_store;
struct mount;
struct ring_segment;

struct fragment_maker {
	struct mount *mount;
	struct fragment_store *store;
	struct fmp4_past *past;
	/* The state at the end of the newest part that was made: at
	 * progress_pos of the ring, in segment progress_number.  NULL: none. */
	struct fmp4_state *progress;
	uint64_t progress_number, progress_pos;
	/* The state, at front_pos of the ring, of reading the bytes in front of
	 * segment front_number; NULL: no bytes have been read. */
	struct fmp4_state *front;
	uint64_t front_number, front_base, front_pos;
	/* The bytes in front of segment front_number are still being read, last
	 * at front_ms.  A request for another segment waits, because it would
	 * replace `front'. */
	bool front_open;
	uint64_t front_ms;
	struct errmsg error; /* the error that was logged last */
};

/* Bytes that become a fragment. */
struct fragment_span {
	const struct ring_segment *segment;
	uint64_t from, end; /* positions in the ring */
	uint32_t index;     /* number of the part in its segment, from 0 */
	bool is_part;
};

/* An attempt to make a fragment that failed, because the end of its units had
 * not arrived. */
struct fragment_attempt {
	uint64_t number; /* of the segment; 0: there was no attempt */
	uint32_t index;
	/* begun_ms: time of the first attempt; ms: of the last one */
	uint64_t begun_ms, ms;
	/* position up to which the ring was searched for the missing units */
	uint64_t seen;
	struct fmp4_lack lack;
};

bool fragment_is_tried(const struct fragment_attempt *,
		       const struct fragment_span *);

void fragment_maker_init(struct fragment_maker *, struct mount *,
			 struct fragment_store *);
void fragment_maker_done(struct fragment_maker *);

/* 0: *ret has the fragment.  -ERANGE: the bytes have left the ring.  -EBUSY:
 * call it again in the next iteration of the loop.  Otherwise an error of
 * fmp4_make(). */
int fragment_make(struct fragment_maker *, const struct fragment_span *,
		  struct fragment_attempt *, uint64_t now_ms,
		  struct fragment *ret) MUST_CHECK;
