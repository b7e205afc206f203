/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pictures of one playlist and sound of another as one transport stream.
 *
 * Segments with pictures go in and come out as they came, but for their PMT
 * and what sound they had; units of the sound are put between the packets, each
 * shortly before it is to be heard, by the time stamps that both share.  The
 * sound has a PID of its own, and the PMT a version that goes up with each
 * change.
 *
 * Where one of the two jumps to other times and the other has not, yet, sound
 * waits for its pictures, or is left out when they are past.  Pictures wait for
 * their sound for as long as the caller is patient.
 *
 * Owns what waits: HLS_MUX_PACKETS of pictures, and the sound.  Pure.
 */
#pragma once

#include "worker/net/hls/audio_track.h"

enum {
	HLS_MUX_PACKETS = 4096,
	/* Sound goes out so much before it is heard ... */
	AUDIO_TRACK_LEAD_MS = 200,
	/* ... or not at all, when it should have been heard (so long ago, if
	 * the clock of the pictures goes on in steps). */
	AUDIO_TRACK_LATE_MS = 700,
	/* Times further apart have nothing in common ... */
	AUDIO_TRACK_FAR_MS = 30 * 1000,
	/* ... and are waited for that long, as pictures play. */
	AUDIO_TRACK_HOLD_MS = 10 * 1000,
};

struct hls_mux;

struct hls_mux_config {
	/* As segment_play_begin() and segment_play_push(). */
	void (*begin)(bool cut, void *arg);
	bool (*push)(const uint8_t *data, size_t len, void *arg);
	void *arg;
};

struct hls_mux *hls_mux_new(const struct hls_mux_config *);
void hls_mux_free(struct hls_mux **);

/* Three letters, for a PMT that has none of its own; "": not known. */
void hls_mux_set_language(struct hls_mux *, const char *language);

/* What goes in; the owner feeds it. */
struct audio_track *hls_mux_sound(struct hls_mux *);

/* Segments with pictures, as to segment_play; hls_mux_end() is true when all of
 * one has gone out. */
void hls_mux_begin(struct hls_mux *, bool cut);
bool hls_mux_push(struct hls_mux *, const uint8_t *data, size_t len);
bool hls_mux_end(const struct hls_mux *);

/* Of pictures, that came so far. */
uint64_t hls_mux_packets(const struct hls_mux *);

/* Lets go what can.  Not patient: pictures go without their sound. */
void hls_mux_turn(struct hls_mux *, bool patient);

/* Did pictures wait for sound, in the last turn; did they go without? */
bool hls_mux_waits(const struct hls_mux *);
bool hls_mux_lacks(const struct hls_mux *);

void hls_mux_second(struct hls_mux *);
