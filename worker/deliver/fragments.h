/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The segments of a mount as fMP4.  A segment is made from the ring at the
 * first request for it, and kept for other clients.
 *
 * An iteration of the loop that has read FRAGMENTS_TURN_MAX bytes for all
 * mounts together makes no more, so that other viewers are not late.  A segment
 * is ready when the units that it ends with are complete, or FRAGMENT_WAIT_MS
 * after its end.
 *
 * Parts, for low latency, are made in the same way.  A part continues where the
 * previous one has ended (fragment_maker.h), so requests for parts cost least
 * in their order.
 *
 * A mount keeps the segments of its playlist, as many that have left it, and
 * the parts of its playlist.  Older segments are not made.  If the store is
 * full, the mount with the most bytes outside its playlist drops the oldest of
 * these fragments.  If there are none, a new segment replaces parts of its
 * mount, and then older segments; a new part replaces older parts.
 *
 * Owns the fragments; borrows the mount.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/ratelimit.h"
#include "common/base/ring_segment.h"
#include "worker/deliver/blob.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

struct fragments;
struct mount;

enum {
	FRAGMENT_WAIT_MS = 2000,
	FRAGMENT_BYTES_MAX = 64 << 20, /* most bytes of a segment */
	FRAGMENT_TAIL_MAX = 2 << 20,   /* most bytes read behind a fragment */
	FRAGMENT_FRONT_MAX = 64 << 20, /* most bytes read in front of a
					* segment */
	FRAGMENT_RETRY_MS = 100,       /* between two attempts while the end of
					* a segment is missing */
	FRAGMENT_PART_RETRY_MS = 20,   /* between two attempts while the end of
					* a part is missing */
	FRAGMENTS_BYTES_MAX = 256 << 20, /* bytes of all fragments of a mount */
	FRAGMENTS_TOTAL_MAX = 1 << 30,   /* bytes of all fragments */
	FRAGMENTS_TURN_MAX = 4 << 20,    /* bytes that an iteration of the loop
					  * reads */
	FRAGMENTS_IDLE_MS = 60000,     /* a mount without a request for this
					* time frees its fragments */
};

/* What the mounts of a process share; outlives them and all blobs. */
struct fragment_store {
	LIST_HEAD(, fragments) all;
	size_t bytes; /* of all blobs, also of those that only answers hold */
	size_t max;
	size_t turn_max; /* an iteration of the loop that has read so many
			  * bytes makes no more fragments */
	unsigned turn;   /* iteration of the loop to which `spent' belongs */
	size_t spent;    /* bytes that iteration `turn' has read, and copied for
			  * parts */
	struct ratelimit full_log;
};

struct fragment {
	uint64_t number;
	uint32_t index; /* number of a part in its segment, from 0 */
	uint64_t init_hash; /* hash of the initialization segment: its name */
	/* init: the initialization segment; NULL for a part.  media: the
	 * fragment; NULL: fMP4 cannot carry the segment or part, and init is
	 * NULL, too */
	struct blob *init, *media;
};

enum fragment_state {
	FRAGMENT_READY,
	FRAGMENT_LATER, /* not ready: a later call may return it */
	FRAGMENT_BAD,   /* fMP4 cannot carry it, it is too old or too large, or
			 * it has left the ring */
	FRAGMENT_FULL,  /* the memory limits leave no room for it */
};

struct fragments *fragments_new(struct mount *, struct fragment_store *);
/* NULL-safe; sets *f to NULL. */
void fragments_free(struct fragments **);

/* The fragment of a complete segment of the ring.  FRAGMENT_READY: *ret is the
 * fragment, borrowed until the next call. */
enum fragment_state fragments_get(struct fragments *,
				  const struct ring_segment *,
				  uint64_t now_ms, const struct fragment **ret);
/* As fragments_get() for a part of this segment, which may still grow. */
enum fragment_state fragments_part(struct fragments *,
				   const struct ring_segment *,
				   const struct ring_part *, uint64_t now_ms,
				   const struct fragment **ret);
/* Is this part kept, so that it need not be made? */
bool fragments_has_part(const struct fragments *, const struct ring_part *);
/* Sets the oldest segment whose parts the playlist lists.  The next fragment
 * that is made replaces older parts. */
void fragments_list_parts(struct fragments *, uint64_t number);
/* The initialization segment with this hash; NULL: there is none. */
struct blob *fragments_init(struct fragments *, uint64_t hash);
/* A number that changes whenever a fragment was made. */
uint64_t fragments_made(const struct fragments *);
/* Did a fragment have to wait for another iteration of the loop since the last
 * call? */
bool fragments_starved(struct fragments *);
/* Call it with the number of the newest segment in the ring.  If a segment with
 * a higher number was requested before, frees all fragments: the stream began
 * again with lower numbers, after the clock was set back. */
void fragments_bound(struct fragments *, uint64_t newest);
/* Frees the fragments of a mount without a request for FRAGMENTS_IDLE_MS. */
void fragments_expire(struct fragments *, uint64_t now_ms);
