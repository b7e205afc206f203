/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The segments of a mount as fMP4.  A segment is made from the ring at the
 * first request for it, and kept for other clients.
 *
 * A turn of the loop makes few bytes for all mounts together, so that other
 * viewers are not late.  A segment is ready when the units that it ends with
 * are complete, or FRAGMENT_WAIT_MS after its end.
 *
 * Parts, for low latency, are made in the same way.  A part continues where the
 * previous one has ended (fragment_maker.h), so requests for parts cost least
 * in their order.
 *
 * A mount keeps the segments of its playlist, as many that have left it, and
 * the parts of its playlist.  Older segments are not made.  Where the store has
 * no room, the mount with the most bytes that have left its playlist loses the
 * oldest of them; then a segment replaces parts of its mount, and a part
 * replaces older parts.
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
	FRAGMENT_BYTES_MAX = 64 << 20, /* of a segment */
	FRAGMENT_TAIL_MAX = 2 << 20,   /* bytes behind it */
	FRAGMENT_FRONT_MAX = 64 << 20, /* bytes in front of it */
	FRAGMENT_RETRY_MS = 100,       /* between two attempts while the end of
					* a segment is missing */
	FRAGMENT_PART_RETRY_MS = 20,   /* the same for a part */
	FRAGMENTS_BYTES_MAX = 256 << 20, /* of a mount */
	FRAGMENTS_TOTAL_MAX = 1 << 30,   /* of all mounts */
	FRAGMENTS_TURN_MAX = 4 << 20,    /* bytes that a turn of the loop
					  * reads */
	FRAGMENTS_IDLE_MS = 60000,     /* without a request they are freed */
};

/* What the mounts of a process share; outlives them and all blobs. */
struct fragment_store {
	LIST_HEAD(, fragments) all;
	size_t bytes; /* of all blobs, also of those that only answers hold */
	size_t max;
	size_t turn_max; /* a turn that has read so many bytes makes no more */
	unsigned turn;   /* iteration of the loop */
	size_t spent;    /* bytes that this iteration has read, and copied for
			  * parts */
	struct ratelimit full_log;
};

struct fragment {
	uint64_t number;
	uint32_t index; /* of a part */
	uint64_t init_hash; /* name of the initialization segment */
	struct blob *init, *media; /* NULL: it cannot be carried */
};

enum fragment_state {
	FRAGMENT_READY,
	FRAGMENT_LATER, /* in a later call */
	FRAGMENT_BAD,   /* it cannot be carried, is too old, or has left the
			 * ring */
	FRAGMENT_FULL,  /* there is no room for it */
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
/* Sets the oldest segment whose parts the playlist lists; older parts are
 * freed. */
void fragments_list_parts(struct fragments *, uint64_t number);
/* The initialization segment with this hash; NULL: there is none. */
struct blob *fragments_init(struct fragments *, uint64_t hash);
/* A number that changes whenever a fragment was made. */
uint64_t fragments_made(const struct fragments *);
/* Did a fragment have to wait for another turn of the loop since the last
 * call? */
bool fragments_starved(struct fragments *);
/* Call it with the number of the newest segment in the ring.  If it is lower
 * than before, frees all fragments: the stream began again with lower numbers,
 * after the clock was set back. */
void fragments_bound(struct fragments *, uint64_t newest);
/* Frees the fragments of a mount without a request for FRAGMENTS_IDLE_MS. */
void fragments_expire(struct fragments *, uint64_t now_ms);
