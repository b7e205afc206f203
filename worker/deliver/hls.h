/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Answers requests for the playlist of a mount and for its segments, whose
 * paths are beside it: /news.m3u8 has /news/1798765432.ts, and its first part
 * is /news/1798765432.0.ts.  The same segment is also at its name by hash,
 * /news/h0123456789abcdef.ts.  With fMP4 all of these end in .m4s, and there
 * are initialization segments such as /news/i0123456789abcdef.mp4.
 * The playlists and segments of a session are at /play/ID/: hls_index.h.
 *
 * The answers depend on the ring alone, so every process that serves the ring
 * gives the same answers.  A playlist never begins with an older segment than
 * the previous playlist.
 */
#pragma once

#include "proto/spec/io_spec.h"
#include "proto/wire/http_request.h"

#include <stdbool.h>
#include <stdint.h>

struct mount;
struct ring_segments;
struct viewer_conn;

#define HLS_PLAYLIST_SUFFIX ".m3u8"

/* most bytes of a request's query, which a playlist repeats in its URIs */
enum { HLS_QUERY_MAX = 1024 };

enum hls_kind {
	HLS_TS,   /* a segment or part of the transport stream */
	HLS_FMP4, /* a segment or part of fMP4 */
	HLS_INIT, /* an initialization segment of fMP4; the number is its
		   * hash */
};

struct hls_wanted {
	enum hls_kind kind; /* kind of the segment */
	uint64_t number;    /* number of the segment; 0: the playlist is
			     * wanted */
	bool hashed;        /* number is the hash of the segment:
			     * hls_playlist.h */
	bool is_part;       /* a part of the segment is wanted */
	uint32_t index;     /* number of the part in the segment, from 0 */
	bool empty_missing; /* a missing segment is answered with an empty 200,
			     * not with 404 */
	bool hash_names;    /* the playlist names segments by hash, not by
			     * number */
	uint64_t session;   /* number of the session in the path; 0: none */
};

/* True if the path is that of a segment or part.  Writes the path of its
 * playlist, and to ret which segment or part it is. */
bool hls_segment_path(const char *path, char ret_playlist[IO_PATH_MAX],
		      struct hls_wanted *ret);

/* Answers a request by OPTIONS, which needs no permission. */
void hls_answer_options(struct viewer_conn *);

/* Answers a request by GET or HEAD.  If the stream has no segment yet, because
 * it has just started, a request for the playlist waits for the first segment.
 * With low latency a request may wait for the next part, with fMP4 until a
 * fragment is made. */
void hls_answer(struct viewer_conn *, const struct http_request *,
		struct mount *, const struct hls_wanted *);

/* Call it when the connection ends: its request stops waiting for a segment. */
void hls_forget(struct viewer_conn *);

/* Answers the requests whose segment, part or playlist is ready now, and
 * rejects those that waited too long.  any: the settings that all requests
 * share. */
void hls_wake(struct mount *, const struct hls_wanted *any, uint64_t now_ms);

/* Reads the segments in the ring since the stream was last started. */
void hls_read_live(struct mount *, struct ring_segments *ret);

/* May an answer have changed since the last call that returned true? */
bool hls_has_news(struct mount *, uint64_t now_ms);

/* Call it when mount `to' replaces mount `from', with the same path and stream.
 * The requests then wait for the segments of `to', and its playlists continue
 * those of `from'. */
void hls_move(struct mount *from, struct mount *to);

/* Call it when the mount ends: rejects the requests that wait for its
 * segments. */
void hls_end(struct mount *);
