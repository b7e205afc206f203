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
	/* A playlist was loaded. */
	void (*on_list)(const struct m3u8 *, bool variant, void *arg);
	/* True: a segment may begin; NULL: always. */
	bool (*is_ready)(void *arg);
	void (*begin)(bool cut, void *arg);
	hls_load_fn *push;
	/* False: no room, called again. */
	bool (*end)(void *arg);
	/* Packets of all segments so far. */
	uint64_t (*packets)(void *arg);
	/* Buffered time, which limits further attempts. */
	uint64_t (*waiting_ms)(void *arg);
};

/* Embedded; must not move. */
struct hls_track {
	const struct hls_track_ops *ops;
	void *arg;
	struct hls_list list;
	struct segment_window window;
	struct hls_load load;
	struct segment_step step;  /* being loaded */
	bool ending;           /* loaded, waits for room */
	uint64_t packets;      /* before this segment */
	unsigned lost;         /* consecutive segments that failed */
	uint64_t segments, errors; /* total */
	int err;               /* the input cannot play: -errno */
	struct errmsg error;     /* that error, or of missing segments */
	/* error of a live playlist that does not play; "": none */
	struct errmsg held;
	struct ratelimit log;
};

/* Borrows home. ops and arg are set, all else is zero. Loads nothing before the
 * first turn, except the list that hls_list_begin() was given. */
void hls_track_open(struct hls_track *, const struct http_spec *,
		    struct fetcher *, const char *home);
void hls_track_done(struct hls_track *);

void hls_track_turn(struct hls_track *, uint64_t now_ns);

/* Duration of listed segments that are not loaded yet. */
uint64_t hls_track_ahead_ms(const struct hls_track *);

/* True if no segments will follow. */
bool hls_track_has_ended(const struct hls_track *);

/* Current error, or NULL. */
const char *hls_track_error(const struct hls_track *);
