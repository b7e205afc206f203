/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocking reload of playlists with low latency (RFC 8216bis 6.2.5.2): which
 * requests wait, and how long.  Pure. */
#pragma once

#include "common/base/ring_segment.h"
#include "proto/wire/http_request.h"

/* The number of the segment behind the complete ones, of which there is at
 * least one. */
uint64_t hls_next_number(const struct ring_segments *);

/* Does the playlist have the segment, or its part, for which the request wants
 * to wait?  0: not yet; else a status.  parts: NULL: the stream has none; n 0:
 * it has some, and the playlist has none now. */
int hls_reload_judge(const struct http_request *, const struct ring_segments *,
		     const struct ring_parts *);

/* A client that plays has reloaded its playlist within so long (RFC 8216
 * 6.3.4); 0: unknown. */
unsigned hls_reload_most_ms(const struct ring_segments *);

/* The time after which a request that waits gets 503. */
unsigned hls_reload_wait_ms(const struct ring_segments *);
