/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One transport stream, at its own pace, of the segments of a playlist.
 *
 * Bytes of segments go in as they are loaded; packets come out when they are
 * due.  Where a segment does not go on with the one before (as the playlist
 * says, or as its first PCR shows) the stream is spliced; where it does, only
 * the continuity counters are made to go on.
 *
 * Owns what waits: at most packets_max and a segment's head.  Pure: time comes
 * in as a number.
 */
#pragma once

#include "worker/input/playout.h"

struct segment_play;

/* lead_ms > 0 */
struct segment_play *segment_play_new(unsigned lead_ms, size_t packets_max,
			      uint64_t now_ns);
void segment_play_free(struct segment_play **);

/* The pace of a source that adds segments of target_ms, or (0) of one that is
 * whole; what waits there. */
void segment_play_set_pace(struct segment_play *, unsigned lead_ms,
		       unsigned target_ms);
void segment_play_set_elsewhere(struct segment_play *, uint64_t ms);

/* A segment begins, and does not go on with the last one if it is a cut. */
void segment_play_begin(struct segment_play *, bool cut);

/* All of it, or false: there is no room. */
bool segment_play_push(struct segment_play *, const uint8_t *data, size_t len);

/* The segment has ended; false: there is no room, say so again. */
bool segment_play_end(struct segment_play *);

/* As playout_set_ended(). */
void segment_play_set_ended(struct segment_play *, bool ended);

/* As playout_take(), playout_is_dry(), playout_every_second(). */
size_t segment_play_take(struct segment_play *, struct batch *,
                         uint64_t now_ns);
bool segment_play_is_dry(const struct segment_play *);
uint64_t segment_play_waiting_ns(const struct segment_play *);
void segment_play_every_second(struct segment_play *);

struct segment_play_counters {
	uint64_t packets;     /* in all segments so far */
	uint32_t sync_losses;
	uint32_t truncated; /* units cut off at the border of a segment */
	uint32_t unannounced; /* cuts that the playlist did not tell */
	uint64_t waiting_ms;
};

void segment_play_counters(const struct segment_play *,
                           struct segment_play_counters *ret);
