/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An HLS playlist as an input: loads what is listed, one segment ahead of the
 * other, and plays it.
 *
 * What a server does wrong is mended as far as it can be, and told in
 * hls_error() as long as it lasts; the playlist is asked for again and again,
 * whatever it answers.
 *
 * Holds at most buffer_size of packets, two playlists of M3U8_SIZE_MAX with
 * what is read from them, and a few hundred KiB.
 */
#pragma once

#include "proto/spec/link_stat.h"
#include "worker/input/input.h"
#include "worker/net/curl/fetch.h"

struct buf;
struct hls;

/* The address was answered, from url, with a body that is a playlist (taken).
 * The fetcher is borrowed.  NULL with *ret_err = -errno and why. */
struct hls *hls_new(const struct http_spec *, struct fetcher *,
		    const char *url, struct buf *body, uint64_t now_ns,
		    int *ret_err, struct errmsg *error);
void hls_free(struct hls **);

/* As input_read(). */
int hls_read(struct hls *, struct batch *, uint64_t now_ns,
	     struct errmsg *error) MUST_CHECK;
void hls_every_second(struct hls *);
void hls_counters(const struct hls *, struct input_counters *ret);
void hls_stats(const struct hls *, struct link_stats *ret);

/* What hinders it, or NULL. */
const char *hls_error(const struct hls *);
