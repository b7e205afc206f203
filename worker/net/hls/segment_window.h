/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which segment of a playlist comes next, over all its reloads.
 *
 * By number, as RFC 8216 has it, and by name, as servers are: one that numbers
 * anew goes on where its names say, one that lists a segment twice is heard
 * once, one that shows an old list again is waited for, and where segments are
 * missing the next one is marked as a cut.
 *
 * One that began anew may use its old names again (ffmpeg does), and its list
 * then looks like an old one.  But an old one stands still, or goes away; one
 * that moves on, list by list, is entered.
 *
 * Pure.  Embedded; zeroed memory has not begun.
 */
#pragma once

#include "worker/net/hls/m3u8.h"

enum {
	HLS_HISTORY = 64, /* segments that are remembered */
	/* A list that looks old is entered when it has moved on so often ... */
	HLS_OLD_MOVES = 2,
	/* ... unless so few segments more bring it to what is due: a server
	 * that lags is no other one. */
	HLS_OLD_NEAR = 1,
	/* A live playlist is entered so many target durations from its end
	 * (RFC 8216 6.3.3). */
	HLS_START_TARGETS = 3,
};

/* A segment that was played, passed over, lost, or listed before those. */
struct segment_record {
	uint64_t name;
	uint32_t duration_ms;
};

/* Lists that look old, in a row. */
struct stale_lists {
	unsigned lists;
	unsigned moves; /* times that one ended behind the one before */
	uint64_t end;   /* of the last one: the number behind it */
};

struct segment_window {
	bool begun;
	uint64_t next; /* the number of the next segment */
	bool cut;      /* it does not go on with the last one */
	uint32_t jumps; /* times that `next` went on elsewhere */
	size_t n_had;
	size_t n_before; /* behind these: of before the server began anew */
	struct segment_record had[HLS_HISTORY]; /* the newest first */
	struct stale_lists old; /* zero: the list is none */

	/* since init */
	uint64_t skipped;    /* segments that were never to be had */
	uint32_t renumbered; /* the names went on, the numbers did not */
	uint32_t restarted;  /* neither did */
	uint64_t named;      /* segments whose names were looked at */
};

/* Room to play that is wanted behind the place where a live list is entered,
 * if it has it; at least HLS_START_TARGETS. */
void segment_window_update(struct segment_window *, const struct m3u8 *,
		       uint64_t wanted_ms);

/* Another list of the same programme: what follows is a cut. */
void segment_window_change(struct segment_window *);

struct segment_step {
	const struct m3u8_segment *segment; /* of the list */
	uint64_t sequence;
	struct segment_record had;
	uint32_t jumps;
	bool cut;
};

/* The next one of the list of the last update; false when it has none.  The
 * cut is told once. */
bool segment_window_next(struct segment_window *, const struct m3u8 *,
		     struct segment_step *ret);

/* It was played, or (not `loaded`) could not be had.  There may have been
 * updates since; its segment is not looked at. */
void segment_window_done(struct segment_window *, const struct segment_step *,
		     bool loaded);

/* As the list has it now; NULL: it is not worth to be asked for any more. */
const struct m3u8_segment *segment_window_listed(const struct segment_window *,
					     const struct m3u8 *,
					     const struct segment_step *);

/* Does the server go on showing lists that look old? */
bool segment_window_is_held(const struct segment_window *);

/* How long the rest of the list plays. */
uint64_t segment_window_ahead_ms(const struct segment_window *,
                                 const struct m3u8 *);
