/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sound of a programme that has a playlist of its own.
 *
 * Bytes of its segments go in, transport streams or packed audio; units of
 * sound come out, each the packets of a PES.  Of several PIDs the first with
 * sound is taken.
 *
 * Owns what waits, HLS_SOUND_PACKETS at most.  Pure.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	HLS_SOUND_PACKETS = 8192,
	HLS_SOUND_DESCRIPTORS = 192, /* bytes; more are left out */
};

struct hls_sound;

struct hls_sound *hls_sound_new(void);
void hls_sound_free(struct hls_sound **);

/* A segment begins, and does not go on with the last one if it is a cut. */
void hls_sound_begin(struct hls_sound *, bool cut);
/* All of it, or false: there is no room. */
bool hls_sound_push(struct hls_sound *, const uint8_t *data, size_t len);
/* The segment has ended: so has its last unit.  False: say so again. */
bool hls_sound_end(struct hls_sound *);

/* Of sound, that came so far. */
uint64_t hls_sound_packets(const struct hls_sound *);

/* How a PMT says what it is. */
struct hls_sound_format {
	uint8_t type;
	uint16_t pid; /* where it came from */
	size_t len;   /* of the descriptors */
	uint8_t descriptors[HLS_SOUND_DESCRIPTORS];
};

/* NULL: not known yet. */
const struct hls_sound_format *hls_sound_format(const struct hls_sound *);

struct hls_unit {
	struct ts_run run; /* PIDs say nothing, counters count from packet to
			      packet */
	bool begins;       /* a PES with a time stamp, else the rest of one */
	bool cut;          /* it does not go on with the one before */
	uint64_t pts;      /* 90 kHz */
};

/* The oldest one that is whole, until something is pushed or dropped. */
bool hls_sound_unit(struct hls_sound *, struct hls_unit *ret);
/* Its first packet, until then. */
const uint8_t *hls_sound_first(const struct hls_sound *);
void hls_sound_drop(struct hls_sound *, size_t packets);

/* There is no room for more? */
bool hls_sound_is_full(const struct hls_sound *);

/* Once a second: gives back memory. */
void hls_sound_second(struct hls_sound *);
