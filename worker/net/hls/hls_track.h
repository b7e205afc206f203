/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One playlist that is followed: its segments are loaded, one after the other,
 * and handed on.
 *
 * What cannot be had is asked for again, of another variant, or left out.
 */
#pragma once

#include "common/base/ratelimit.h"
#include "worker/net/hls/hls_list.h"
#include "worker/net/hls/hls_load.h"

/* Who takes the segments.  All functions are called in hls_track_turn(). */
struct hls_track_ops {
	const char *nothing; /* what a segment of junk is said to be */
	/* A list was loaded. */
	void (*on_list)(const struct m3u8 *, bool variant, void *arg);
	/* May one begin? */
	bool (*is_ready)(void *arg);
	void (*begin)(bool cut, void *arg);
	hls_load_fn *push;
	/* False: there is no room, say so again. */
	bool (*end)(void *arg);
	/* That were in all segments so far. */
	uint64_t (*packets)(void *arg);
	/* What is left to play, while one is asked for again. */
	uint64_t (*waiting_ms)(void *arg);
};

/* Embedded; stays at its place. */
struct hls_track {
	const struct hls_track_ops *ops;
	void *arg;
	struct hls_list list;
	struct segment_window window;
	struct hls_load load;
	struct segment_step step;  /* that is being loaded */
	bool ending;           /* it is loaded, and there is no room */
	uint64_t packets;      /* before it */
	unsigned lost;         /* segments in a row that were not to be had */
	uint64_t segments, errors; /* since init */
	int err;               /* it cannot be played at all ... */
	struct errmsg error;     /* ... or why segments are missing */
	struct errmsg held;    /* the list moves, and is not played: why */
	struct ratelimit log;
};

/* home is borrowed.  Nothing is loaded before the first turn, but for what
 * hls_list_begin() was given. */
void hls_track_init(struct hls_track *, const struct hls_track_ops *,
		    void *arg);
void hls_track_open(struct hls_track *, const struct http_spec *,
		    struct fetcher *, const char *home);
void hls_track_done(struct hls_track *);

void hls_track_turn(struct hls_track *, uint64_t now_ns);

/* What its list has and was not loaded yet. */
uint64_t hls_track_ahead_ms(const struct hls_track *);

/* There will be no more. */
bool hls_track_has_ended(const struct hls_track *);

/* What hinders it, or NULL. */
const char *hls_track_error(const struct hls_track *);
