/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes a fragment of fMP4 from the bytes of a ring.
 *
 * A part continues where the previous part has ended, so that each byte of a
 * segment is read about once.  A segment that does not begin with a random
 * access point continues the previous segment, or is read from the last segment
 * on that begins with one: in several turns of the loop if many bytes are
 * between them.
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
	/* The newest part ended at progress_pos of this segment; NULL: none. */
	struct fmp4_state *progress;
	uint64_t progress_number, progress_pos;
	/* The state of reading the bytes in front of this segment, at
	 * front_pos; NULL: none are read. */
	struct fmp4_state *front;
	uint64_t front_number, front_base, front_pos;
	/* They are being read, last at front_ms: a request for another segment
	 * waits, because each would undo what the other one did. */
	bool front_open;
	uint64_t front_ms;
	struct errmsg error; /* that was logged last */
};

/* Bytes that become a fragment. */
struct fragment_span {
	const struct ring_segment *segment;
	uint64_t from, end; /* in the ring */
	uint32_t index;     /* of the part */
	bool is_part;
};

/* An attempt to make a fragment that failed, because the end of its units had
 * not arrived. */
struct fragment_attempt {
	uint64_t number; /* 0: none */
	uint32_t index;
	uint64_t begun_ms, ms; /* the first time, and the last */
	uint64_t seen;         /* up to here; it lacks these units */
	struct fmp4_lack lack;
};

bool fragment_is_tried(const struct fragment_attempt *,
		       const struct fragment_span *);

void fragment_maker_init(struct fragment_maker *, struct mount *,
			 struct fragment_store *);
void fragment_maker_done(struct fragment_maker *);

/* 0: *ret has the fragment.  -ERANGE: the bytes have left the ring.  -EBUSY:
 * call it again in the next turn of the loop.  Otherwise an error of
 * fmp4_make(). */
int fragment_make(struct fragment_maker *, const struct fragment_span *,
		  struct fragment_attempt *, uint64_t now_ms,
		  struct fragment *ret) MUST_CHECK;
