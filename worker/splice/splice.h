/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes one continuous stream of what comes from one source after another.
 *
 * Stands behind the choice of the input.  As long as nothing was ever cut it
 * only watches: runs go on as they came, byte for byte.  splice_cut() says
 * that what is fed from then on comes from elsewhere: another source, the same
 * one opened again, or the first packets of a worker whose predecessor died.
 * Then
 *   - the continuity counter of each PID goes on;
 *   - PCR, OPCR, PTS, DTS (and ESCR, DTS_next_AU) are moved to one output
 *     clock, which has gone on by the time that passed meanwhile, and so are
 *     the times of cue messages (cue.h);
 *   - a PES that was cut is followed by the start of another one, never by
 *     the rest of one, and pictures by a random access point, if one comes
 *     within SPLICE_PICTURE_MS;
 *   - what would play before its elementary stream's last unit is dropped:
 *     DTS grow on each PID.  Pictures cannot be dropped one by one: when they
 *     begin too early, PTS and DTS of the program are lifted away from the
 *     clock, at most by SPLICE_LIFT_MS in all; beyond that the next random
 *     access point is waited for;
 *   - pictures that precede the random access point in display order need
 *     pictures of the other source, and are dropped;
 *   - PAT and PMTs stand in front, when the entry is known.
 * Times on a PID that no table in force names, seen for the first time, may be
 * of another source that was started in its place.  They are kept back, with
 * all behind them, until a clock that is known goes on (they pass) or jumps, or
 * other tables come (it is cut there); or for SPLICE_DOUBT_MS, and are cut off
 * then when they stand alone.  Behind that cut they wait for their tables.
 *
 * A source that jumps by itself (PCR back or far ahead, as when it was started
 * again) is mended as if it had been cut there.  A lost packet is not: its gap
 * in the counter stays visible.
 *
 * Pure: time is what the caller says, and never goes back.  Owns its buffer
 * and the tables (psi) of what goes out; borrows its continuity.
 */
#pragma once

#include "common/base/prefetch.h"
#include "worker/splice/switch_point.h"
#include "worker/splice/continuity.h"

enum {
	/* A PCR that much further on than the time that passed is a jump. */
	SPLICE_JUMP_MS = 500,
	/* The most by which PTS and DTS are moved away from the PCR. */
	SPLICE_LIFT_MS = 1000,
	SPLICE_PICTURE_MS = 2000,
	/* The longest overlap that is dropped; beyond that time itself is
	 * taken to be wrong. */
	SPLICE_OVERLAP_MS = 10000,
	/* How long the units that were begun before a cut may take to end,
	 * and ... */
	SPLICE_DRAIN_MS = 500,
	/* ... how much of the new source is kept back meanwhile. */
	SPLICE_HELD_MAX = 10000,
	/* Behind a silence of that length a gap in a counter may mean that
	 * the source was started again: packets are kept back until a PCR
	 * tells, at most ... */
	SPLICE_SILENCE_MS = 50,
	/* ... so long; and so are those of a PID that no table names. */
	SPLICE_DOUBT_MS = 100,
	/* Without a PCR or the start of a unit for so long, packets pass all
	 * the same. */
	SPLICE_PATIENCE_MS = 1000,
};

struct splice;

struct splice_config {
	ts_out_fn *out;
	void *arg;
	/* Borrowed; zeroed, or as another splice left it and accepted by
	 * splice_continuity_check().  NULL: nothing outlives the splice. */
	struct splice_continuity *continuity;
	bool keep_jumps; /* what jumps by itself keeps jumping */
};

/* Since new. */
struct splice_counters {
	uint64_t cuts;    /* all, and among them ... */
	uint64_t jumps;   /* ... those that the source did not announce */
	uint64_t dropped; /* packets left out behind cuts */
};

struct splice *splice_new(const struct splice_config *);
void splice_free(struct splice **);

/* Takes the next packets of the source that plays.  Calls out(), as a rule
 * once, or not at all while packets are kept back. */
void splice_feed(struct splice *, const struct ts_run *runs, size_t n_runs,
		 uint64_t now_ns);

/*
 * What is fed from now on comes from elsewhere.  entry has watched it, up to
 * the packet that will be fed first; NULL: it did not, and packets are dropped
 * up to the first PCR.
 *
 * With rest true the source before still flows: splice_drain() is to be
 * given its next packets for as long as splice_is_draining(), so that its last
 * units end; meanwhile splice_feed() keeps packets back.
 */
void splice_cut(struct splice *, const struct switch_point *entry, bool rest,
		uint64_t now_ns);

/* What is fed from now on is the same again and stands `ticks` (90 kHz)
 * earlier on its clock: a loop. */
void splice_shift(struct splice *, uint64_t ticks);

bool splice_is_draining(struct splice *, uint64_t now_ns);
void splice_drain(struct splice *, const struct ts_run *runs,
		      size_t n_runs, uint64_t now_ns);

/* Without a feed: lets go what was kept back for long enough. */
void splice_turn(struct splice *, uint64_t now_ns);

/* When splice_turn() lets something go; UINT64_MAX: nothing is kept back. */
uint64_t splice_next_ns(const struct splice *);

/* What the next packets will touch, as long as nothing was cut. */
void splice_warm(const struct splice *, struct warm *);

/* The tables of what goes out; borrowed for the life of the splice. */
const struct psi *splice_psi(const struct splice *);

void splice_counters(const struct splice *, struct splice_counters *ret);
