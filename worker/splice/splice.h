/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Joins sources to one continuous stream.
 *
 * This stage comes after the choice of the input.  Until the first cut, packets
 * pass unchanged.  splice_cut() starts another source: a different input, or
 * the same input opened again.  splice_new() makes such a cut, too, if it
 * continues the stream of a worker that ended.  From then on
 *   - the continuity counter of each PID continues;
 *   - PCR, OPCR, PTS, DTS (and ESCR, DTS_next_AU) are moved to one output
 *     clock, which has advanced by the time that passed, and so are the times
 *     of cue messages (cue.h);
 *   - after an incomplete PES only the start of another PES follows, never
 *     the remainder of one, and pictures begin at a random access point if
 *     one comes within SPLICE_PICTURE_MS, or SPLICE_LATE_PICTURE_MS if the
 *     source is known to show them;
 *   - a unit that would be shown before the last unit of its elementary stream
 *     is dropped: DTS grow on each PID.  Single pictures cannot be dropped:
 *     if they begin too early, PTS and DTS of the program are lifted away from
 *     the clock, at most by SPLICE_LIFT_MS in all.  Beyond that, pictures are
 *     dropped up to the next random access point;
 *   - pictures that precede the random access point in display order refer to
 *     pictures of the other source, and are dropped;
 *   - PAT and PMTs go out first, if the switch point is known.
 * A PID that new tables no longer name passes for SPLICE_FORMER_MS more.
 * Times on a PID that no current table names, seen for the first time, may be
 * those of another source that replaced this one, or of this source, whose new
 * tables have not arrived yet.  Clocks and tables decide: packets pass if a PCR
 * on such a PID continues the clock of a program, or if a known PCR does.  A
 * cut is made if a known clock jumps, or if tables of another source come after
 * a gap in their counter.  Until a packet decides, the packets of such a PID
 * wait, and all packets behind them.  After SPLICE_DOUBT_MS a cut is made if
 * only such packets arrived and their clock is another one.  After that cut
 * they wait for their tables.
 * PCRs that move to such a PID with a gap in the counter of a PID that stays
 * show an encoder that was restarted with the same clock: counters continue.
 * They show a loss, which stays visible, if the PID with the gap or the old PCR
 * PID had packets since.
 *
 * A source that jumps by itself (PCR back, or more than 100 ms ahead, as after
 * its restart) is treated as if it had been cut there, or at a unit in front of
 * that PCR whose DTS jumps, too.  The next PCR confirms the jump, unless
 * discontinuity_indicator announced it: packets wait for it, at most
 * SPLICE_DOUBT_MS.  A lost packet is not a jump:
 * its gap in the counter stays visible.  A single PCR that is behind the one
 * before it, as in a packet out of order, is removed, and so is one that the
 * next PCR contradicts.  So no PCR of the output
 * goes back, and none steps by more than 100 ms unless the time did, or
 * discontinuity_indicator announces it.
 *
 * Pure: the caller provides the time, which never goes back.  Owns its buffer
 * and the tables (psi) of its output; borrows its continuity.
 */
#pragma once

#include "common/base/prefetch.h"
#include "worker/splice/switch_point.h"
#include "worker/splice/continuity.h"

enum {
	/* A PCR is a jump in any case if it advances by this much more than
	 * the time that passed. */
	SPLICE_JUMP_MS = 500,
	/* The most by which PTS and DTS are moved away from the PCR. */
	SPLICE_LIFT_MS = 1000,
	/* After a cut, pictures are dropped for at most this long until a
	 * random access point comes. */
	SPLICE_PICTURE_MS = 2000,
	/* The limit instead of SPLICE_PICTURE_MS if the switch point was late:
	 * longer than a group of pictures. */
	SPLICE_LATE_PICTURE_MS = 15000,
	/* Units that overlap those before the cut by at most this much are
	 * dropped; a longer overlap shows that their time itself is wrong. */
	SPLICE_OVERLAP_MS = 10000,
	/* The longest wait for the end of units that began before a cut. */
	SPLICE_DRAIN_MS = 500,
	/* That wait ends after this time without a packet of the previous
	 * source. */
	SPLICE_DRAIN_QUIET_MS = 200,
	/* The most packets that are held, in a drain or in any other wait.
	 * Above 37 Mbit/s this limit ends a wait of SPLICE_SPLIT_WAITS_MS
	 * early, above 75 Mbit/s one of SPLICE_WAITS_MS.  If
	 * packets are changed, a PES whose header is incomplete when the limit
	 * ends the wait is dropped. */
	SPLICE_HELD_MAX = 10000,
	/* After a silence of this length a gap in a counter may mean that the
	 * source was restarted: packets wait for a PCR. */
	SPLICE_SILENCE_MS = 50,
	/* The longest wait for a PCR after a silence.  Packets of a PID that no
	 * table names wait as long, and so do packets from a PCR that jumps
	 * on. */
	SPLICE_DOUBT_MS = 100,
	/* The longest duration of several waits in a row: behind a PCR that
	 * jumped, packets may wait again for PCRs of other clocks.  Then all
	 * packets pass. */
	SPLICE_WAITS_MS = 200,
	/* The longest wait of a packet if it, or a packet in front of it, waits
	 * for the rest of a PES header.  Then, if packets are changed, each PES
	 * that waits and whose header is incomplete is dropped. */
	SPLICE_SPLIT_WAITS_MS = 2 * SPLICE_WAITS_MS,
	/* A unit whose DTS does not continue waits for a PCR, and with it the
	 * whole stream.  If its clock has not jumped, no further unit of this
	 * clock waits during this time. */
	SPLICE_ODD_MS = 10000,
	/* The time instead of SPLICE_ODD_MS after a unit waited because its
	 * distance to its clock had changed. */
	SPLICE_FAR_MS = 1000,
	/* After a cut, a clock waits at most this long for a PCR, and a PID for
	 * the start of a unit; then their packets pass. */
	SPLICE_PATIENCE_MS = 1000,
	/* A PID that new tables no longer name passes for this long. */
	SPLICE_FORMER_MS = 1000,
};

struct splice;

struct splice_config {
	ts_out_fn *out;
	void *arg;
	/* State of the output, which may outlive the splice.  Borrowed; zeroed,
	 * or as another splice left it and accepted by
	 * splice_continuity_check().  NULL: the splice makes its own. */
	struct splice_continuity *continuity;
	bool keep_jumps; /* jumps of the source go out unchanged */
	/* May change the bytes, but not the length, of a section of PAT or PMT
	 * that goes out in front of a new source; NULL: none changes. */
	void (*lead)(uint16_t pid, uint8_t *section, size_t len, void *arg);
};

/* Counted since splice_new(). */
struct splice_counters {
	uint64_t cuts;    /* all cuts, including jumps */
	uint64_t jumps;   /* jumps of the source */
	uint64_t dropped; /* packets dropped after cuts */
};

struct splice *splice_new(const struct splice_config *);
void splice_free(struct splice **);

/* Takes the next packets of the active source, and sends them by out(), usually
 * in one call.  While packets wait, it does not call out(). */
void splice_feed(struct splice *, const struct ts_run *runs, size_t n_runs,
		 uint64_t now_ns);

/* As splice_feed() for packets that arrived earlier: their PCRs do not show the
 * phase of the source. */
void splice_feed_held(struct splice *, struct ts_run run, uint64_t now_ns);

/*
 * Makes a cut: the next packets are those of another source.  The switch point
 * has read that source up to the packet that is fed first.  NULL: there is no
 * switch point, and packets are dropped up to the first PCR.
 *
 * drain true: the previous source still sends.  While splice_is_draining(),
 * the caller gives its packets to splice_drain(), so that its last units end.
 * Packets of splice_feed() wait meanwhile.
 */
void splice_cut(struct splice *, const struct switch_point *, bool drain,
		uint64_t now_ns);

/* Call it when a looped file starts again (a lap): the clock of the source goes
 * back by `ticks' (90 kHz) with the next packets. */
void splice_shift(struct splice *, uint64_t ticks);

/* True if packets of the previous source are still wanted.  Ends a drain whose
 * time is over, which may call out(). */
bool splice_is_draining(struct splice *, uint64_t now_ns);

/* Takes packets of the previous source during a drain, and sends its last
 * units. */
void splice_drain(struct splice *, const struct ts_run *runs,
		      size_t n_runs, uint64_t now_ns);

/* Call it when no packets are fed: releases packets whose wait is over. */
void splice_turn(struct splice *, uint64_t now_ns);

/* The time at which splice_turn() releases packets; UINT64_MAX: none wait. */
uint64_t splice_next_ns(const struct splice *);

/* Prefetches the memory that the next packets use before the first cut. */
void splice_warm(const struct splice *, struct prefetch *);

/* The tables of the output; borrowed for the life of the splice. */
const struct psi *splice_psi(const struct splice *);

void splice_counters(const struct splice *, struct splice_counters *ret);
