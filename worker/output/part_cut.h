/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Divides the segments of a stream into parts for low latency: from one picture
 * to another, each a little shorter than the wanted duration.
 *
 * Pure.  Embedded.
 */
#pragma once

#include "common/base/ring_segment.h"

struct part_cut {
	unsigned part_ms; /* 0: no parts */
	bool begun;       /* `now' is the part that is being written */
	bool due;         /* it ends at the next picture */
	bool ended;       /* `done' is complete and not taken yet */
	uint64_t ticks;   /* of the segment, where `now' begins; 27 MHz */
	struct ring_part now, done;
};

void part_cut_init(struct part_cut *, unsigned part_ms);

/* ticks: the length of the open segment so far. */
void part_cut_look(struct part_cut *, uint64_t ticks);

/* A part that is due ends at pos, where a picture begins. */
void part_cut_at(struct part_cut *, uint64_t pos, uint64_t ticks);

/* The part that has ended; false: none. */
bool part_cut_take(struct part_cut *, struct ring_part *ret);

/* The segment ends, and its last part; false: it has no parts. */
bool part_cut_end(struct part_cut *, const struct ring_segment *,
		  struct ring_part *ret);

/* The segment begins, with its first part. */
void part_cut_begin(struct part_cut *, const struct ring_segment *);
