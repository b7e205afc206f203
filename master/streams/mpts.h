/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An mpts of several inputs as streams: one that reads rings alone and merges
 * them, and a feed for each input that is no stream:// input.  So the bytes of
 * a network are parsed outside the multiplex.  feeds.h runs the feeds.
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

/* Does the output have TDT or TOT of the system clock? */
bool mpts_has_clock(const json_t *stream);

/* The object of the stream that merges them, a new reference. */
json_t *mpts_mux(const json_t *stream, const char *id);

/* The object of the feed for the input at this position (from 1), a new
 * reference; NULL: it needs none. */
json_t *mpts_feed(const json_t *stream, const char *id, unsigned position);

/* The name of a feed among the readers of rings: no id has its slash. */
void mpts_link(const char *id, unsigned position, char ret[IO_FEED_MAX + 1]);
bool mpts_is_link(const char *name);
