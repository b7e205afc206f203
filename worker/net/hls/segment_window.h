/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chooses the next segment of a playlist across reloads.
 *
 * It uses sequence numbers, as RFC 8216 defines them, and URIs, because some
 * servers number segments wrongly. If a server renumbers its segments, the URIs
 * show where to continue. A segment that is listed twice plays once. A stale
 * playlist, which lists only old segments, is ignored. After missing segments
 * the next segment is marked as a cut.
 *
 * A restarted server may reuse its old URIs (ffmpeg does), so that its playlist
 * looks stale. If the end of such a playlist moves on, it is not stale, and is
 * entered: play-out continues near its end.
 *
 * Pure. Embedded; zeroed memory is ready.
 */
#pragma once

#include "worker/net/hls/m3u8.h"

enum {
	HLS_HISTORY = 64, /* most segments that are remembered */
	/* A playlist that looks stale is entered after its end has moved this
	 * many times. */
	HLS_OLD_MOVES = 2,
	/* A playlist that looks stale is not entered if its end is at most this
	 * many segments before the expected one: then the server only lags. */
	HLS_OLD_NEAR = 1,
	/* A live playlist is entered this many target durations before its end
	 * (RFC 8216, 6.3.3). */
	HLS_START_TARGETS = 3,
};

/* A segment that was played, skipped or lost, or that was listed in front of
 * the first one that was played. */
struct segment_record {
	uint64_t name; /* hash of its URI and range */
	uint32_t duration_ms;
};

/* Consecutive playlists that look stale. */
struct stale_lists {
	unsigned lists; /* number of consecutive stale playlists */
	unsigned moves; /* how often the end of the playlist moved on */
	uint64_t end;   /* sequence number after the last segment listed */
};

struct segment_window {
	bool begun;    /* a playlist was entered */
	uint64_t next; /* sequence number of the next segment */
	bool cut;      /* the next segment does not continue the last one */
	uint32_t jumps; /* how often a playlist was entered again */
	size_t n_had;  /* entries of had since the server restarted */
	/* entries of had, behind the first n_had, from before the server
	 * restarted */
	size_t n_before;
	struct segment_record had[HLS_HISTORY]; /* newest first */
	struct stale_lists old; /* zero: the playlist is current */

	/* --- counted since the start --- */
	uint64_t skipped;    /* segments that were not available, or lost */
	uint32_t renumbered; /* how often URIs continued, but numbers did not */
	uint32_t restarted;  /* how often neither URIs nor numbers continued */
	uint64_t named;      /* number of URIs that were hashed */
};

/* Takes a playlist.  The entry point of a live playlist lies wanted_ms before
 * its end, and at least HLS_START_TARGETS target durations.  The entry point of
 * a shorter playlist is its first segment. */
void segment_window_update(struct segment_window *, const struct m3u8 *,
			   uint64_t wanted_ms);

/* Call it before a playlist of another variant of the same program: its first
 * segment is a cut. */
void segment_window_change(struct segment_window *);

/* The segment that is to be loaded next. */
struct segment_step {
	const struct m3u8_segment *segment; /* borrowed from the playlist */
	uint64_t sequence;         /* its sequence number */
	struct segment_record had; /* its record for segment_window.had */
	uint32_t jumps;            /* segment_window.jumps when it was chosen */
	bool cut;                  /* it does not continue the last segment */
};

/* Writes the next segment of the last playlist; false: there is none yet.
 * Reports a cut once. */
bool segment_window_next(struct segment_window *, const struct m3u8 *,
			 struct segment_step *ret);

/* Notes that the segment was loaded, or lost (loaded false).  The playlist may
 * have been updated since segment_window_next(). */
void segment_window_done(struct segment_window *, const struct segment_step *,
			 bool loaded);

/* Finds the segment in the current playlist.  NULL: it is not listed any more,
 * so that a request would be useless. */
const struct m3u8_segment *segment_window_listed(const struct segment_window *,
						 const struct m3u8 *,
						 const struct segment_step *);

/* True if the server has sent two or more stale playlists in a row. */
bool segment_window_is_held(const struct segment_window *);

/* Duration of the segments from the next one to the end of the playlist. */
uint64_t segment_window_ahead_ms(const struct segment_window *,
				 const struct m3u8 *);
