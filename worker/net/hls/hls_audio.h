/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Handles the audio rendition of a variant: chooses it, loads its playlist and
 * segments, and multiplexes its audio with the video.
 *
 * Video waits for its audio while more than HLS_AUDIO_RESERVE_MS is buffered,
 * or nothing is buffered, but at most HLS_AUDIO_WAIT_MS. Then video continues
 * without audio until audio arrives, and hls_audio.error reports it.
 */
#pragma once

#include "worker/net/hls/hls_mux.h"
#include "worker/net/hls/hls_track.h"

enum {
	HLS_AUDIO_WAIT_MS = 8000,
	/* Video stops waiting when not more than this, or than half of
	 * buffer_time if that is less, is buffered. */
	HLS_AUDIO_RESERVE_MS = 1000,
};

struct segment_play;

/* Embedded; must not move. Starts with the first three members set, which it
 * borrows, and all others zero. */
struct hls_audio {
	const struct http_spec *spec;
	struct fetcher *fetcher;
	struct segment_play *play; /* receives the output */
	char *url;             /* URL of the playlist; NULL: none */
	struct errmsg name;    /* rendition and group, for the log */
	struct hls_track track;
	struct hls_mux *mux;   /* NULL: no separate audio so far */
	bool muxes;            /* the current video segment is multiplexed */
	/* time since which audio is missing; 0: audio is complete */
	uint64_t missing_since_ns;
	bool patient;          /* video waits for missing audio */
	struct errmsg error;   /* "": none */
};

void hls_audio_done(struct hls_audio *);

/* Chooses the rendition of the current variant. */
void hls_audio_choose(struct hls_audio *, const struct hls_list *);

void hls_audio_turn(struct hls_audio *, uint64_t now_ns);
void hls_audio_every_second(struct hls_audio *);

/* These functions are the hls_track_ops of the video track; arg is the struct
 * hls_audio. */
bool hls_audio_is_ready(void *arg);
void hls_audio_begin(bool cut, void *arg);
hls_load_fn hls_audio_push;
bool hls_audio_end(void *arg);
uint64_t hls_audio_packets(void *arg);
uint64_t hls_audio_waiting_ms(void *arg);
