/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocking reload of playlists with low latency (RFC 8216bis 6.2.5.2): which
 * requests wait, and how long.  Pure. */
#pragma once

#include "common/base/ring_segment.h"
#include "proto/wire/http_request.h"

/* The number of the segment that follows the complete segments.  There is at
 * least one complete segment. */
uint64_t hls_next_number(const struct ring_segments *);

/* Judges a request for a playlist.  200: the playlist has the segment or part
 * that the request waits for; 0: not yet; 400: the request is invalid.  parts:
 * NULL: the stream has no parts; n 0: it has some, but the playlist has none
 * now. */
int hls_reload_judge(const struct http_request *, const struct ring_segments *,
		     const struct ring_parts *);

/* The ms within which a client that plays reloads its playlist (RFC 8216
 * 6.3.4); 0: unknown, because there is no segment. */
unsigned hls_reload_most_ms(const struct ring_segments *);

/* The time in ms after which a request that waits gets 503. */
unsigned hls_reload_wait_ms(const struct ring_segments *);
