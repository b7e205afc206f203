/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Multiplexes the video of one playlist with the audio of another.
 *
 * Video segments pass unchanged, except that their PMT is replaced and their
 * own audio is dropped. Audio units are inserted between the packets of the
 * video HLS_MUX_LEAD_MS before their play-out time; audio and video have the
 * same clock. The audio has its own PID, and version_number of the PMT
 * increases with each change of the PMT.
 *
 * If audio or video jumps to other times before the other one does, audio waits
 * for the video of its times, or is dropped if that video was already sent.
 * Video waits for its audio as long as the caller permits.
 *
 * Owns the queues: HLS_MUX_PACKETS packets of video, and the audio. Pure.
 */
#pragma once

#include "worker/net/hls/audio_track.h"

enum {
	HLS_MUX_PACKETS = 4096,
	/* Audio is sent this long before its play-out time. */
	HLS_MUX_LEAD_MS = 200,
	/* Audio that is later than this is dropped.  Less late audio is sent if
	 * the unit before it was sent, because the clock of the video may
	 * advance in steps. */
	HLS_MUX_LATE_MS = 700,
	/* If a PTS of audio is further from the clock of the video, the two are
	 * unrelated. */
	HLS_MUX_FAR_MS = 30 * 1000,
	/* The longest wait of audio with unrelated times for video of its
	 * times. */
	HLS_MUX_HOLD_MS = 10 * 1000,
};

struct hls_mux;

struct hls_mux_config {
	/* Receive the output, as segment_play_begin() and
	 * segment_play_push(). */
	void (*begin)(bool cut, void *arg);
	bool (*push)(const uint8_t *data, size_t len, void *arg);
	void *arg;
};

struct hls_mux *hls_mux_new(const struct hls_mux_config *);
void hls_mux_free(struct hls_mux **);

/* Sets the ISO 639 code for a PMT that has none; "": unknown. */
void hls_mux_set_language(struct hls_mux *, const char *language);

/* The audio track, which the owner feeds. */
struct audio_track *hls_mux_audio(struct hls_mux *);

/* hls_mux_begin() and hls_mux_push() take video segments as segment_play does.
 * hls_mux_end(): true if the whole segment was sent. */
void hls_mux_begin(struct hls_mux *, bool cut);
bool hls_mux_push(struct hls_mux *, const uint8_t *data, size_t len);
bool hls_mux_end(const struct hls_mux *);

/* Video packets received so far. */
uint64_t hls_mux_packets(const struct hls_mux *);

/* Sends the packets that are due.  patient: video waits for missing audio. */
void hls_mux_turn(struct hls_mux *, bool patient);

/* True if the audio for the next video was missing in the last hls_mux_turn():
 * the video waits, or was sent without that audio. */
bool hls_mux_misses_audio(const struct hls_mux *);

void hls_mux_every_second(struct hls_mux *);
