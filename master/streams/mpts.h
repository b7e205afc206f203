/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Divides an mpts of several inputs into streams: a multiplex that reads only
 * rings and merges them, and a feed for each input except plain stream://
 * inputs.  So bytes of a network are parsed outside the multiplex.  A stream://
 * input has a feed only for its mux= or for a filler (absent=).  feeds.h runs
 * the feeds.
 */
#pragma once

#include "common/base/ring.h"
#include "proto/spec/io_spec.h"

#include <jansson.h>
#include <stdbool.h>

/* Size of the ring of a feed, in bytes; this ring does not grow. */
enum { MPTS_RING_SIZE = 21 * RING_UNIT /* below 4 MiB */ };

/* True: the stream sends all its inputs at the same time (an mpts of several
 * inputs). */
bool mpts_is_mux(const json_t *stream);

/* True: the stream sends its own TDT or TOT, from the system clock. */
bool mpts_has_clock(const json_t *stream);

/* Returns the object of the multiplex that merges the inputs, a new
 * reference. */
json_t *mpts_mux(const json_t *stream, const char *id);

/* Returns the object of the feed for the input at this position (from 1), a new
 * reference; NULL: the multiplex reads this input itself. */
json_t *mpts_feed(const json_t *stream, const char *id, unsigned position);

/* Writes the name by which readers of rings know a feed, ID/POSITION.  The id
 * of a stream has no slash. */
void mpts_link(const char *id, unsigned position, char ret[IO_FEED_MAX + 1]);
bool mpts_is_link(const char *name);
