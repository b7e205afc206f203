/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Audio of a programme that has a playlist of its own.
 *
 * Takes the bytes of its segments, which are transport streams or packed audio,
 * and returns audio units: the packets of one PES. Of several audio PIDs it
 * takes the first.
 *
 * Owns the queue, at most AUDIO_TRACK_PACKETS. Pure.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	AUDIO_TRACK_PACKETS = 8192,
	/* bytes; further descriptors are dropped */
	AUDIO_TRACK_DESCRIPTORS = 192,
};

struct audio_track;

struct audio_track *audio_track_new(void);
void audio_track_free(struct audio_track **);

/* Begins a segment.  cut: it does not continue the previous one. */
void audio_track_begin(struct audio_track *, bool cut);
/* Takes all bytes, or returns false: no room. */
bool audio_track_push(struct audio_track *, const uint8_t *data, size_t len);
/* Ends the segment and its last unit. False: no room, call again. */
bool audio_track_end(struct audio_track *);

/* Audio packets received so far. */
uint64_t audio_track_packets(const struct audio_track *);

/* Description of the audio in a PMT. */
struct audio_track_format {
	uint8_t type;
	uint16_t pid; /* original PID */
	size_t len;   /* length of the descriptors */
	uint8_t descriptors[AUDIO_TRACK_DESCRIPTORS];
};

/* The format of the audio for a PMT; NULL: not known yet. */
const struct audio_track_format *audio_track_format(const struct audio_track *);

struct audio_unit {
	struct ts_run run; /* PID not set; counters increase by one */
	bool begins; /* true: starts with a time stamp; false: rest of a PES */
	bool cut;          /* does not continue the previous unit */
	uint64_t pts;      /* 90 kHz */
};

/* Writes the oldest complete unit, which is valid until the next push or drop.
 * False: there is none. */
bool audio_track_unit(struct audio_track *, struct audio_unit *ret);
/* The first packet of that unit. */
const uint8_t *audio_track_first(const struct audio_track *);
void audio_track_drop(struct audio_track *, size_t packets);

bool audio_track_is_full(const struct audio_track *);

/* Returns unused memory. */
void audio_track_every_second(struct audio_track *);
