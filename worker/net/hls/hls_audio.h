/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Audio rendition of a variant: chooses its playlist, loads it and multiplexes
 * it with the video.
 *
 * Video waits for its audio while enough is buffered, at most
 * HLS_AUDIO_WAIT_MS. Then it continues without audio and reports that, until
 * audio arrives.
 */
#pragma once

#include "worker/net/hls/hls_mux.h"
#include "worker/net/hls/hls_track.h"

enum {
	HLS_AUDIO_WAIT_MS = 8000,
	/* Video stops waiting when less than this is buffered. */
	HLS_AUDIO_RESERVE_MS = 1000,
};

struct segment_play;

/* Embedded; must not move. */
struct hls_audio {
	const struct http_spec *spec;
	struct fetcher *fetcher;
	struct segment_play *play;
	char *url;             /* of the playlist; NULL: none */
	struct errmsg name;    /* rendition and group, for the log */
	struct hls_track track;
	struct hls_mux *mux;   /* NULL: not needed so far */
	bool muxes;            /* the current video segment is multiplexed */
	/* no audio since then; 0: audio is complete */
	uint64_t missing_since_ns;
	bool patient;
	struct errmsg error;   /* "": none */
};

/* play: receives the output. */
void hls_audio_init(struct hls_audio *, const struct http_spec *,
		    struct fetcher *, struct segment_play *play);
void hls_audio_done(struct hls_audio *);

/* Chooses the rendition of the current variant. */
void hls_audio_choose(struct hls_audio *, const struct hls_list *);

void hls_audio_turn(struct hls_audio *, uint64_t now_ns);
void hls_audio_every_second(struct hls_audio *);

/* Video segments; as hls_track_ops. */
bool hls_audio_is_ready(const struct hls_audio *);
void hls_audio_begin(struct hls_audio *, bool cut);
bool hls_audio_push(struct hls_audio *, const uint8_t *data, size_t len);
bool hls_audio_end(struct hls_audio *);
uint64_t hls_audio_packets(const struct hls_audio *);
