/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sound of a variant that is in a playlist of its own: chosen, followed,
 * and put to the pictures.
 *
 * These wait for their sound for as long as there is enough to play, and no
 * longer than HLS_AUDIO_WAIT_MS; then they go without, which is told, until
 * it is there again.
 */
#pragma once

#include "worker/net/hls/hls_mux.h"
#include "worker/net/hls/hls_track.h"

enum {
	HLS_AUDIO_WAIT_MS = 8000,
	/* What is left to play when pictures do not wait any more. */
	HLS_AUDIO_RESERVE_MS = 1000,
};

struct segment_play;

/* Embedded; stays at its place. */
struct hls_audio {
	const struct http_spec *spec;
	struct fetcher *fetcher;
	struct segment_play *play;
	char *url;             /* of the playlist; NULL: none is played */
	struct errmsg name;    /* of the group it is of */
	struct hls_track track;
	struct hls_mux *mux;   /* NULL: none was needed so far */
	bool muxes;            /* the segment with pictures that goes in now */
	uint64_t lacks_ns;     /* since then there is no sound; 0: there is */
	bool patient;
	struct errmsg trouble; /* "": none */
};

/* What goes out goes to play. */
void hls_audio_init(struct hls_audio *, const struct http_spec *,
		    struct fetcher *, struct segment_play *play);
void hls_audio_done(struct hls_audio *);

/* Of the variant that is played now. */
void hls_audio_choose(struct hls_audio *, const struct hls_list *);

void hls_audio_turn(struct hls_audio *, uint64_t now_ns);
void hls_audio_every_second(struct hls_audio *);

/* Segments with pictures; as hls_track_ops. */
bool hls_audio_is_ready(const struct hls_audio *);
void hls_audio_begin(struct hls_audio *, bool cut);
bool hls_audio_push(struct hls_audio *, const uint8_t *data, size_t len);
bool hls_audio_end(struct hls_audio *);
uint64_t hls_audio_packets(const struct hls_audio *);
