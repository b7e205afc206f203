/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An mpts of several inputs as streams: one that reads rings alone and merges
 * them, and a feed for each input that is no stream:// input.  So the bytes of
 * a network are parsed outside the multiplex.
 *
 * A feed is a stream like others, with the id "MPTS/POSITION": no configured id
 * has a slash.  It is not in the configuration, and has no outputs.
 */
#pragma once

#include "common/base/ring.h"
#include "proto/spec/io_spec.h"

#include <jansson.h>
#include <stdbool.h>

/* The ring of a feed; it does not grow. */
enum { MPTS_RING_SIZE = 21 * RING_UNIT /* below 4 MiB */ };

/* Are all inputs of this stream object sent at the same time? */
bool mpts_is_mux(const json_t *stream);

/* The object of the stream that merges them, a new reference. */
json_t *mpts_mux(const json_t *stream, const char *id);

/* The object of the feed for the input at this position (from 1), a new
 * reference; NULL: it needs none. */
json_t *mpts_feed(const json_t *stream, const char *id, unsigned position);

/* Is this the id of a feed; and of this stream? */
bool mpts_is_feed(const char *id);
bool mpts_is_feed_of(const char *feed, const char *id);

/* The position of a feed. */
unsigned mpts_position(const char *feed);
