/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plays the segments of a playlist as one paced transport stream.
 *
 * Takes the bytes of segments as they are loaded, and returns packets when they
 * are due. If a segment does not continue the previous one, which the playlist
 * or its first PCR shows, it is spliced. If it does, only the continuity
 * counters are joined.
 *
 * Owns the queue: at most packets_max packets, and the first packets of a
 * segment. Pure: time is an argument.
 */
#pragma once

#include "worker/input/playout.h"

struct segment_play;

/* lead_ms: duration of the buffer, > 0; packets_max: its most packets. */
struct segment_play *segment_play_new(unsigned lead_ms, size_t packets_max,
				      uint64_t now_ns);
void segment_play_free(struct segment_play **);

/* Sets the pace.  lead_ms: duration of the buffer; target_ms: duration of the
 * segments that a live source adds; 0: the playlist is complete. */
void segment_play_set_pace(struct segment_play *, unsigned lead_ms,
			   unsigned target_ms);

/* Begins a segment.  cut: the segment does not continue the previous one. */
void segment_play_begin(struct segment_play *, bool cut);

/* Takes all bytes.  False: it took none, because there is no room. */
bool segment_play_push(struct segment_play *, const uint8_t *data, size_t len);

/* Ends the segment. False: there is no room; the caller calls it again. */
bool segment_play_end(struct segment_play *);

/* The queue. The owner sets elsewhere_ns and ended. */
struct playout *segment_play_queue(struct segment_play *);

/* As playout_take() and playout_every_second(). */
size_t segment_play_take(struct segment_play *, struct batch *,
			 uint64_t now_ns);
void segment_play_every_second(struct segment_play *);

struct segment_play_counters {
	uint64_t packets;     /* packets of all segments so far */
	uint32_t sync_losses;
	uint32_t truncated; /* units whose start is missing at a border */
	uint32_t unannounced; /* cuts that the playlist did not announce */
	uint64_t waiting_ms;  /* duration of the buffered packets */
};

void segment_play_counters(const struct segment_play *,
			   struct segment_play_counters *ret);
