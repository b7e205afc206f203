/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ring with the packets of one stream, which outlives its worker.
 *
 * Embedded.  The owner is the only writer of the struct.
 */
#pragma once

#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct handover;
struct hls_bases;
struct ring_reader;

struct stream_ring {
	int fd; /* for the writer; -1: no ring */
	int ro_fd; /* read-only, for readers */
	size_t size; /* bytes, as requested */
	uint64_t number; /* number of the ring in the handover */
	struct ring_reader *judge; /* checks the header; NULL: no ring */
	struct hls_bases *bases; /* HLS numbers of all rings; NULL: none */
};

static inline void stream_ring_init(struct stream_ring *r,
				    struct hls_bases *bases)
{
	*r = (struct stream_ring){ .fd = -1, .ro_fd = -1, .bases = bases };
}

void stream_ring_close(struct stream_ring *);

/* Replaces the ring by a new one, or closes it for size 0.  0 or -errno; after
 * an error the present ring stays. */
int stream_ring_make(struct stream_ring *, size_t size) MUST_CHECK;
/* As stream_ring_make(), for a ring that does not grow. */
int stream_ring_make_fixed(struct stream_ring *, size_t size) MUST_CHECK;

/* True: the writer has damaged the header. */
bool stream_ring_is_damaged(const struct stream_ring *);

/* Takes the ring with this name from the previous master.  False: the handover
 * has none, or its size does not fit. */
bool stream_ring_take(struct stream_ring *, const json_t *name,
		      struct handover *, size_t size);
