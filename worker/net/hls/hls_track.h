/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Follows one playlist: loads its segments in order and delivers them.
 *
 * A segment that fails is requested again, loaded from another variant, or
 * skipped.
 */
#pragma once

#include "common/base/ratelimit.h"
#include "worker/net/hls/hls_list.h"
#include "worker/net/hls/hls_load.h"

/* The receiver of the segments. All functions are called in
 * hls_track_turn(). */
struct hls_track_ops {
	const char *nothing; /* error text for a segment without usable data */
	/* A playlist was loaded; variant: it belongs to another variant. */
	void (*on_list)(const struct m3u8 *, bool variant, void *arg);
	/* True: the next segment may begin; NULL: it may at any time. */
	bool (*is_ready)(void *arg);
	/* A segment begins; cut: it does not continue the previous one. */
	void (*begin)(bool cut, void *arg);
	/* Takes bytes of the segment. */
	hls_load_fn *push;
	/* Ends the segment.  False: there is no room; it is called again. */
	bool (*end)(void *arg);
	/* Number of packets in all segments so far. */
	uint64_t (*packets)(void *arg);
	/* Duration of the buffered packets: after two failed attempts, a
	 * segment is tried again only if the buffer lasts until then, or if
	 * the playlist lists no later segment. */
	uint64_t (*waiting_ms)(void *arg);
};

/* Embedded; must not move. */
struct hls_track {
	const struct hls_track_ops *ops;
	void *arg;
	struct hls_list list;
	struct segment_window window;
	struct hls_load load;
	struct segment_step step; /* the segment that is being loaded */
	bool ending;           /* the segment was loaded, and end() is called
				* until it has room */
	uint64_t packets;      /* ops->packets() before this segment */
	unsigned lost;         /* consecutive segments that failed */
	uint64_t segments, errors; /* segments loaded so far; failed attempts */
	int err;               /* the input cannot play: -errno; 0: none */
	struct errmsg error;   /* text of err, or why segments failed */
	/* why segments of a live playlist are not played, because the playlist
	 * lists only old ones; "": none */
	struct errmsg held;
	struct ratelimit log;  /* limits log lines */
};

/* Opens a track in which only ops and arg are set, and all other members are
 * zero. home: URL of the playlist (borrowed). Loads nothing before the first
 * hls_track_turn(). */
void hls_track_open(struct hls_track *, const struct http_spec *,
		    struct fetcher *, const char *home);
void hls_track_done(struct hls_track *);

void hls_track_turn(struct hls_track *, uint64_t now_ns);

/* Duration of the listed segments that are not loaded yet. */
uint64_t hls_track_ahead_ms(const struct hls_track *);

/* True if no segments will follow. */
bool hls_track_has_ended(const struct hls_track *);

/* Current error, or NULL. */
const char *hls_track_error(const struct hls_track *);
