/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ring of one stream, as its keeper sees it: made, judged, handed over.
 *
 * Embedded.  It outlives the worker that writes it, and those who read it.
 */
#pragma once

#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct handover;
struct ring_reader;

struct stream_ring {
	int fd;      /* the writer's; -1: there is none */
	int ro_fd;   /* the readers' */
	size_t size; /* as it was asked for */
	uint64_t number; /* in the handover */
	struct ring_reader *judge; /* NULL: no ring */
};

void stream_ring_init(struct stream_ring *);

/* Back to no ring. */
void stream_ring_close(struct stream_ring *);

/* One of size bytes, or none for 0, or the one that is there when it has that
 * size.  0 or -errno, and what was there stays. */
int stream_ring_make(struct stream_ring *, size_t size) MUST_CHECK;

/* Another one of its size in its place, as stream_ring_make(). */
int stream_ring_replace(struct stream_ring *) MUST_CHECK;

/* Has its writer spoilt it? */
bool stream_ring_is_damaged(const struct stream_ring *);

/* Its name in the handover, a new JSON value; NULL when there is none. */
json_t *stream_ring_write(struct stream_ring *, struct handover *);

/* Takes the one of that name up.  False when there is none, or none of this
 * size. */
bool stream_ring_take(struct stream_ring *, const json_t *name,
		      struct handover *, size_t size);
