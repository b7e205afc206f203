/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The output clock of one program: moves the PCRs of the sources.
 *
 * While one source is on air, one offset moves its PCRs, so the output has the
 * rate of the source.  Their distance to the time (the anchor) is measured
 * continuously.  After a cut the next source is placed where the clock would be
 * by then.  The error of one cut does not add to that of the next.
 *
 * Pure.
 */
#pragma once

#include "worker/splice/continuity.h"

enum {
	/* Measurements that the anchor is the mean of: about two seconds. */
	SPLICE_CLOCK_SMOOTH = 64,
	/* A measurement so far from the anchor replaces it. */
	SPLICE_CLOCK_STRAY_MS = 1000,
	/* The accepted difference between two PCRs by packets and by time:
	 * arrival is measured at ticks only. */
	SPLICE_CLOCK_LOOSE_MS = 20,
	/* A source whose PCR is so close to the clock keeps its offset: it is
	 * the same source.  For a measured phase the limit is
	 * SPLICE_CLOCK_LOOSE_MS. */
	SPLICE_CLOCK_FIT_MS = 200,
	/* A measured phase is ignored when the first PCR differs by more. */
	SPLICE_CLOCK_WRONG_MS = 2000,
	/* After a gap in the counter a PCR that goes back by less may be out
	 * of order. */
	SPLICE_CLOCK_BACK_MS = 200,
	/* A smaller step back may be an error of a single PCR. */
	SPLICE_CLOCK_DIP_MS = 20,
	/* A longer step between two PCRs has to be announced by
	 * discontinuity_indicator (TR 101 290 2.3b). */
	SPLICE_CLOCK_STEP_MS = 100,
	/* The tolerance when such a step is compared with the time that passed,
	 * and with the usual distance of the PCRs. */
	SPLICE_CLOCK_EARLY_MS = 30,
	/* After a gap in the counter a PCR is early only if it is further ahead
	 * of the anchor.  Without a gap the limit is SPLICE_CLOCK_LOOSE_MS. */
	SPLICE_CLOCK_LOST_MS = 50,
	/* PCRs until the habit of a source is known. */
	SPLICE_CLOCK_HABIT = 4,
	/* PCRs until the rate of a source counts as steady: two seconds as a
	 * rule.  A picture that takes longer, or a pause, restarts the
	 * count. */
	SPLICE_CLOCK_STEADY = 50,
	/* Limit of splice_clock.ahead. */
	SPLICE_CLOCK_AHEAD_MAX_S = 60,

	SPLICE_PACKET_TICKS_MAX = 27000000, /* 27 MHz times 256: 3.9 ms a
					     * packet */
	/* Limit of splice_track.span, 90 kHz. */
	SPLICE_SPAN_MAX = 10 * 90000,
};

/* A moment: its monotonic time, and the number of packets sent before. */
struct splice_moment {
	uint64_t ns;
	uint64_t packets;
};

/* Converts a time to ticks of 27 MHz, with wrap. */
uint64_t splice_ticks_of_ns(uint64_t ns);

/* Adds a measurement of a difference between two clocks (27 MHz, with wrap) to
 * its smoothed value.  *n counts the measurements, at first 0. */
void splice_smooth(uint64_t *mean, uint8_t *n, uint64_t measured);

/* What the splice has observed of the active source: its PCRs and its units. */
struct splice_watch {
	uint8_t n;        /* PCRs since the clock was placed, up to
			   * SPLICE_CLOCK_HABIT */
	bool gap;         /* the counter of the PID had a gap since the last
			   * PCR: packets were lost or are out of order */
	bool lost;        /* the counter of another PID of the clock had a gap
			   * since the last PCR */
	bool late;        /* late_pcr is valid: the last PCR was late */
	uint64_t late_pcr;
	uint64_t late_ns; /* time of the last late PCR; 0: none */
	uint32_t usual;   /* 27 MHz: the usual distance of two PCRs */
	uint8_t steady;   /* PCRs in a row, up to SPLICE_CLOCK_STEADY, between
			   * which the packets took their usual time */
	/* 27 MHz: by so much the offset may grow before the second PCR after a
	 * cut */
	int64_t room;
	uint64_t odd_ns;  /* time when an odd unit was last held in vain; 0:
			   * never */
	uint64_t far_ns;  /* the same for a unit whose distance to the clock
			   * changed */
};

/* The verdict on the next PCR of the active source. */
enum splice_pcr {
	SPLICE_PCR_GOOD,
	SPLICE_PCR_REPEATED, /* as the last one: ignored */
	SPLICE_PCR_LATE,     /* out of order: must not go out */
	SPLICE_PCR_JUMP,
};

/* A PCR, as received, and the number of packets since the PCR before it; 0: not
 * known, or lost packets would not show in its counter. */
struct splice_reading {
	uint64_t pcr;
	uint64_t packets;
};

/* Judges the next PCR.  A step back is a jump if it is longer than
 * SPLICE_CLOCK_DIP_MS (after a gap in the counter: SPLICE_CLOCK_BACK_MS), or if
 * it follows a late PCR and continues that one.  A step of more than
 * SPLICE_CLOCK_STEP_MS is a jump if it exceeds the time that passed by more
 * than SPLICE_JUMP_MS.  It is also a jump if it exceeds both the time and the
 * habit, unless the packets were delayed and either some were lost, so many
 * arrived, or their source has no steady rate. */
enum splice_pcr splice_clock_judge(const struct splice_clock *,
				   const struct splice_watch *,
				   struct splice_reading, uint64_t now_ns);

/* True if `odd', a PCR that jumps, is wrong alone: the next PCR continues the
 * clock, and does so better than it continues `odd'. */
bool splice_clock_contradicts(const struct splice_clock *,
			      const struct splice_watch *,
			      struct splice_reading odd,
			      struct splice_reading next, uint64_t now_ns);

/* Updates the watch by a good PCR.  Call it before splice_clock_note(). */
void splice_watch_note(struct splice_watch *, const struct splice_clock *,
		       uint64_t pcr, uint64_t packets);

/* Notes that a PCR, as received, is sent now.  live: false if the packet was
 * held, so that the time of the PCR is not measured. */
void splice_clock_note(struct splice_clock *, uint64_t pcr,
		       struct splice_moment now, bool live);

/* Places the clock after a cut, to a source whose PCRs are `phase` (27 MHz,
 * smoothed) ahead of the time.  Changes nothing if the output has no PCR yet,
 * as does splice_clock_join_pcr(). */
void splice_clock_join_phase(struct splice_clock *, uint64_t phase,
			     uint64_t now_ns);

/* Places the clock after a cut, to a source of unknown phase whose first PCR
 * goes out now. */
void splice_clock_join_pcr(struct splice_clock *, uint64_t pcr,
			   struct splice_moment now);

/* How the first PCR after splice_clock_join_phase() continues the output. */
enum splice_fit {
	SPLICE_FIT_GOOD,
	SPLICE_FIT_BACK,  /* not without splice_clock_raise() */
	SPLICE_FIT_STEP,  /* it is too far ahead of the time */
	SPLICE_FIT_WRONG, /* the phase must have been wrong */
};

enum splice_fit splice_clock_fit(const struct splice_clock *, uint64_t pcr,
				 uint64_t now_ns);

/* Is a received PCR, of any PID, at most SPLICE_CLOCK_FIT_MS from the one that
 * the active source sends now as a rule? */
bool splice_clock_is_near(const struct splice_clock *, uint64_t pcr,
			  uint64_t now_ns);

/* Moves all times of the source later by `ticks' (90 kHz). */
void splice_clock_shift(struct splice_clock *, uint64_t ticks);

/* Moves the times of the source later, just so far that this PCR does not go
 * back. */
void splice_clock_raise(struct splice_clock *, uint64_t pcr);

/* By how much (27 MHz) a received PCR could be sent later without a step that
 * has to be announced. */
int64_t splice_clock_room(const struct splice_clock *, uint64_t pcr);

/* The distance of a received PCR from the last output PCR, 27 MHz. */
int64_t splice_clock_gap(const struct splice_clock *, uint64_t pcr);

/* The output clock at now_ns, 27 MHz. */
uint64_t splice_clock_at(const struct splice_clock *, uint64_t now_ns);
