/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the media playlist of a live stream (RFC 8216).  Pure. */
#pragma once

#include "common/base/buf.h"
#include "common/base/ring_segment.h"

struct hls_playlist {
	const struct ring_segment *segments; /* oldest first */
	size_t n;
	unsigned target_s;
	/* The begin of the URI of each segment, in front of its name and ".ts";
	 * not escaped. */
	const char *folder;
	bool hashed; /* the name is the hash, not the number */
	/* fMP4: for each segment the hash of its initialization segment; NULL:
	 * the segments are MPEG-TS */
	const uint64_t *maps;
	const char *query; /* appended to each URI, not escaped; "": none */
	/* the parts of a playlist with low latency (RFC 8216bis); NULL: without
	 * low latency */
	const struct ring_parts *parts;
	/* the segment that is being written, behind all in `segments'; NULL:
	 * the stream has stopped */
	const struct ring_segment *open;
};

enum {
	/* digits of a name by hash, in hexadecimal, behind the letter */
	HLS_HASH_DIGITS = 16,
	/* only parts of the last three target durations are listed */
	HLS_PARTS_TARGETS = 3,
};
#define HLS_HASH_LETTER "h"
#define HLS_INIT_LETTER "i"

/* A hash that names the segment, and no other one, even if numbers begin again.
 * It is the same while the segment is written and later, and in each
 * process. */
uint64_t hls_segment_hash(const struct ring_segment *);

/* True if the parts continue the segments up to the end of the ring, or to the
 * stop of the stream, and include all parts of the open segment. */
bool hls_parts_are_live(const struct ring_parts *,
			const struct ring_segments *);

/* How many of the newest segments a playlist of at most `quantity' lists.  A
 * listed segment must stay in the ring for its duration and that of the
 * playlist (RFC 8216 6.2.2), so there are fewer if the ring has few bytes that
 * clients may use (bytes). */
size_t hls_playlist_count(const struct ring_segments *, size_t quantity,
			  uint64_t bytes);

void hls_playlist_write(struct buf *, const struct hls_playlist *);
