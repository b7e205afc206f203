/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sound of a programme that has a playlist of its own.
 *
 * Bytes of its segments go in, transport streams or packed audio; units of
 * sound come out, each the packets of a PES.  Of several PIDs the first with
 * sound is taken.
 *
 * Owns what waits, AUDIO_TRACK_PACKETS at most.  Pure.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	AUDIO_TRACK_PACKETS = 8192,
	AUDIO_TRACK_DESCRIPTORS = 192, /* bytes; more are left out */
};

struct audio_track;

struct audio_track *audio_track_new(void);
void audio_track_free(struct audio_track **);

/* A segment begins, and does not go on with the last one if it is a cut. */
void audio_track_begin(struct audio_track *, bool cut);
/* All of it, or false: there is no room. */
bool audio_track_push(struct audio_track *, const uint8_t *data, size_t len);
/* The segment has ended: so has its last unit.  False: say so again. */
bool audio_track_end(struct audio_track *);

/* Of sound, that came so far. */
uint64_t audio_track_packets(const struct audio_track *);

/* How a PMT says what it is. */
struct audio_track_format {
	uint8_t type;
	uint16_t pid; /* where it came from */
	size_t len;   /* of the descriptors */
	uint8_t descriptors[AUDIO_TRACK_DESCRIPTORS];
};

/* NULL: not known yet. */
const struct audio_track_format *audio_track_format(const struct audio_track *);

struct audio_unit {
	struct ts_run run; /* PIDs say nothing, counters count from packet to
			      packet */
	bool begins;       /* a PES with a time stamp, else the rest of one */
	bool cut;          /* it does not go on with the one before */
	uint64_t pts;      /* 90 kHz */
};

/* The oldest one that is whole, until something is pushed or dropped. */
bool audio_track_unit(struct audio_track *, struct audio_unit *ret);
/* Its first packet, until then. */
const uint8_t *audio_track_first(const struct audio_track *);
void audio_track_drop(struct audio_track *, size_t packets);

/* There is no room for more? */
bool audio_track_is_full(const struct audio_track *);

/* Once a second: gives back memory. */
void audio_track_every_second(struct audio_track *);
