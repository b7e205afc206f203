/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Input from an HLS playlist: loads segments ahead and plays them.
 *
 * It works around errors of the server as far as possible, and reports them in
 * hls_error() while they last. It never stops reloading the playlist, whatever
 * the server answers.
 *
 * Memory: at most buffer_size of packets; and the last master playlist, the
 * last media playlist and two playlists that are being loaded, each with at
 * most M3U8_SIZE_MAX.  Separate audio has playlists of its own, and the queues
 * of hls_mux.h and audio_track.h.
 */
#pragma once

#include "proto/spec/link_stat.h"
#include "worker/input/input.h"
#include "worker/net/curl/fetch.h"

struct buf;
struct hls;

/* Plays a playlist.  body: its text (taken); url: its URL, after redirects from
 * that of the input.  Borrows the fetcher.  NULL with *ret_err = -errno and
 * error. */
struct hls *hls_new(const struct http_spec *, struct fetcher *,
		    const char *url, struct buf *body, uint64_t now_ns,
		    int *ret_err, struct errmsg *error);
void hls_free(struct hls **);

/* Reads the packets that are due, as input_read(). */
int hls_read(struct hls *, struct batch *, uint64_t now_ns,
	     struct errmsg *error) MUST_CHECK;
void hls_every_second(struct hls *);
void hls_counters(const struct hls *, struct input_counters *ret);
void hls_stats(const struct hls *, struct link_stats *ret);

/* Current error, or NULL. */
const char *hls_error(const struct hls *);
