/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the audio of a program from the segments of a separate audio playlist.
 *
 * Takes the bytes of its segments, which are transport streams or packed audio,
 * and returns audio units: the packets of one PES. Of several audio PIDs it
 * reads the first one.
 *
 * Owns the queue, at most AUDIO_TRACK_PACKETS packets. Pure.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	AUDIO_TRACK_PACKETS = 8192,
	/* most bytes of descriptors; a longer loop is dropped */
	AUDIO_TRACK_DESCRIPTORS = 192,
};

struct audio_track;

struct audio_track *audio_track_new(void);
void audio_track_free(struct audio_track **);

/* Begins a segment.  cut: the segment does not continue the previous one. */
void audio_track_begin(struct audio_track *, bool cut);
/* Takes all bytes.  False: it took none, because there is no room. */
bool audio_track_push(struct audio_track *, const uint8_t *data, size_t len);
/* Ends the segment and its last unit. False: there is no room; the caller calls
 * it again. */
bool audio_track_end(struct audio_track *);

/* Audio packets that were queued so far. */
uint64_t audio_track_packets(const struct audio_track *);

/* Description of the audio in a PMT. */
struct audio_track_format {
	uint8_t type; /* stream_type */
	uint16_t pid; /* PID in the source; TS_PID_NULL: packed audio */
	size_t len;   /* bytes of descriptors */
	uint8_t descriptors[AUDIO_TRACK_DESCRIPTORS];
};

/* The format of the audio for a PMT; NULL: not known yet. */
const struct audio_track_format *audio_track_format(const struct audio_track *);

struct audio_unit {
	/* the packets; their PID is not set, and a loss inside a segment is a
	 * gap in their counters */
	struct ts_run run;
	bool begins; /* true: the unit has a time stamp, pts; false: it is the
		      * rest of a PES, or a PES without a PTS */
	bool cut;          /* the unit does not continue the previous one */
	uint64_t pts;      /* 90 kHz */
};

/* Writes the oldest complete unit, which is valid until the next push or drop.
 * False: there is none. */
bool audio_track_unit(struct audio_track *, struct audio_unit *ret);
/* The first packet of the unit that audio_track_unit() returned. */
const uint8_t *audio_track_first(const struct audio_track *);
void audio_track_drop(struct audio_track *, size_t packets);

/* True if more than half of the queue is used. */
bool audio_track_is_full(const struct audio_track *);

/* Returns unused memory. */
void audio_track_every_second(struct audio_track *);
