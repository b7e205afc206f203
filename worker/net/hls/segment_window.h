/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chooses the next segment of a playlist across reloads.
 *
 * Uses sequence numbers, as RFC 8216 defines them, and URIs, because servers
 * break them. A server that renumbers continues where the URIs say. A segment
 * that is listed twice plays once. A stale playlist is ignored. After missing
 * segments the next one is marked as a cut.
 *
 * A restarted server may reuse its old URIs (ffmpeg does), so that its playlist
 * looks stale. A stale playlist does not move, or disappears; a playlist that
 * moves on is entered.
 *
 * Pure. Embedded; zeroed memory is ready.
 */
#pragma once

#include "worker/net/hls/m3u8.h"

enum {
	HLS_HISTORY = 64, /* remembered segments */
	/* A playlist that looks stale is entered after it has moved so
	 * often. */
	HLS_OLD_MOVES = 2,
	/* It is not entered while so few further segments would reach the
	 * expected one: the server only lags. */
	HLS_OLD_NEAR = 1,
	/* A live playlist is entered so many target durations before its end
	 * (RFC 8216, 6.3.3). */
	HLS_START_TARGETS = 3,
};

/* A segment that was played, skipped or lost, or that was listed before
 * those. */
struct segment_record {
	uint64_t name;
	uint32_t duration_ms;
};

/* Consecutive playlists that look stale. */
struct stale_lists {
	unsigned lists;
	unsigned moves; /* how often the end moved */
	uint64_t end;   /* sequence number after the last one */
};

struct segment_window {
	bool begun;
	uint64_t next; /* expected sequence number */
	bool cut;      /* the next segment does not continue the last one */
	uint32_t jumps; /* how often `next' changed its sequence */
	size_t n_had;
	/* entries from before the server restarted, at the end */
	size_t n_before;
	struct segment_record had[HLS_HISTORY]; /* newest first */
	struct stale_lists old; /* zero: the playlist is current */

	/* totals */
	uint64_t skipped;    /* segments that were not available */
	uint32_t renumbered; /* URIs continued, numbers did not */
	uint32_t restarted;  /* neither continued */
	uint64_t named;      /* compared URIs */
};

/* Takes a playlist.  The entry point of a live playlist lies wanted_ms before
 * its end, and at least HLS_START_TARGETS target durations.  The entry point of
 * a shorter playlist is its first segment. */
void segment_window_update(struct segment_window *, const struct m3u8 *,
			   uint64_t wanted_ms);

/* Call it before a playlist of another variant of the same programme: its first
 * segment is a cut. */
void segment_window_change(struct segment_window *);

struct segment_step {
	const struct m3u8_segment *segment; /* borrowed from the playlist */
	uint64_t sequence;
	struct segment_record had;
	uint32_t jumps;
	bool cut;
};

/* The next segment of the last playlist; false: none. Reports a cut once. */
bool segment_window_next(struct segment_window *, const struct m3u8 *,
			 struct segment_step *ret);

/* Notes that the segment was played, or (not `loaded') lost.  Works after
 * updates, too. */
void segment_window_done(struct segment_window *, const struct segment_step *,
			 bool loaded);

/* The segment in the current playlist; NULL: no longer worth a request. */
const struct m3u8_segment *segment_window_listed(const struct segment_window *,
						 const struct m3u8 *,
						 const struct segment_step *);

/* True while the server sends stale playlists. */
bool segment_window_is_held(const struct segment_window *);

/* Duration of the rest of the playlist. */
uint64_t segment_window_ahead_ms(const struct segment_window *,
				 const struct m3u8 *);
