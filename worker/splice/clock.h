/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The output clock of one program: moves the PCRs of the sources.
 *
 * While one source is on air, one offset is added to its PCRs, so the output
 * has the rate of the source.  The distance of the output PCRs from the local
 * time (the anchor) is measured continuously.  After a cut, the first PCR of
 * the next source gets the value that the output clock has by then.  The errors
 * of several cuts do not add up.
 *
 * Pure.
 */
#pragma once

#include "worker/splice/continuity.h"

enum {
	/* Number of measurements whose mean is the anchor: about two
	 * seconds. */
	SPLICE_CLOCK_SMOOTH = 64,
	/* A measurement that is further from the anchor replaces the mean. */
	SPLICE_CLOCK_STRAY_MS = 1000,
	/* The accepted error of a PCR that is computed from the time: the time
	 * of arrival has the resolution of the ticks of the worker. */
	SPLICE_CLOCK_LOOSE_MS = 20,
	/* After a cut, a source whose PCR is closer to the clock keeps its
	 * offset: it is the same source.  For a measured phase the limit is
	 * SPLICE_CLOCK_LOOSE_MS. */
	SPLICE_CLOCK_FIT_MS = 200,
	/* If the first PCR goes back by more, the measured phase was wrong, and
	 * the PCR places the clock instead. */
	SPLICE_CLOCK_WRONG_MS = 2000,
	/* After a gap in the counter, a PCR that goes back by at most this much
	 * may be out of order. */
	SPLICE_CLOCK_BACK_MS = 200,
	/* Without a gap, a PCR that goes back by at most this much may be
	 * wrong alone. */
	SPLICE_CLOCK_DIP_MS = 20,
	/* A longer step between two PCRs has to be announced by
	 * discontinuity_indicator (TR 101 290 2.3b). */
	SPLICE_CLOCK_STEP_MS = 100,
	/* The tolerance if a step longer than SPLICE_CLOCK_STEP_MS is compared
	 * with the time that passed, and with the usual distance of the
	 * PCRs. */
	SPLICE_CLOCK_EARLY_MS = 30,
	/* After a gap in the counter a PCR counts as early if it is further
	 * ahead of the value expected by now.  Without a gap the limit is
	 * SPLICE_CLOCK_LOOSE_MS. */
	SPLICE_CLOCK_LOST_MS = 50,
	/* Number of PCRs until the usual distance of the PCRs of a source is
	 * known. */
	SPLICE_CLOCK_HABIT = 4,
	/* Number of PCRs until the rate of a source counts as steady: two
	 * seconds as a rule.  A picture that takes longer, or a pause, restarts
	 * the count. */
	SPLICE_CLOCK_STEADY = 50,
	/* Limit of splice_clock.ahead. */
	SPLICE_CLOCK_AHEAD_MAX_S = 60,

	/* Limit of splice_clock.packet_ticks: 3.9 ms a packet, in ticks of
	 * 27 MHz times 256. */
	SPLICE_PACKET_TICKS_MAX = 27000000,
	/* Limit of splice_track.span, 90 kHz. */
	SPLICE_SPAN_MAX = 10 * 90000,
};

/* A moment: its time (CLOCK_MONOTONIC), and the number of packets that were
 * sent before it. */
struct splice_moment {
	uint64_t ns;
	uint64_t packets;
};

/* Converts a time to ticks of 27 MHz, with wrap. */
uint64_t splice_ticks_of_ns(uint64_t ns);

/* Adds a measured difference between two clocks (27 MHz, with wrap) to the mean
 * of such measurements.  *n: number of measurements in the mean, at first 0. */
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
	uint64_t late_pcr; /* 27 MHz, as received */
	uint64_t late_ns; /* time of the last late PCR; 0: none */
	uint32_t usual;   /* 27 MHz: the usual distance of two PCRs */
	uint8_t steady;   /* PCRs in a row, up to SPLICE_CLOCK_STEADY, between
			   * which the packets took their usual time */
	/* 27 MHz: by how much the offset may still grow before the second PCR
	 * after a cut */
	int64_t room;
	/* time when a unit last waited because its DTS did not continue; 0:
	 * never, or its clock had jumped */
	uint64_t odd_ns;
	/* time when a unit last waited because its distance to the clock had
	 * changed; 0: never, or its clock had jumped */
	uint64_t far_ns;
};

/* The verdict on the next PCR of the active source. */
enum splice_pcr {
	SPLICE_PCR_GOOD,
	SPLICE_PCR_REPEATED, /* equal to the last PCR: ignored */
	SPLICE_PCR_LATE,     /* out of order: must not go out */
	SPLICE_PCR_JUMP,
};

struct splice_reading {
	uint64_t pcr; /* 27 MHz, as received */
	/* number of packets since the PCR before; 0: unknown, because packets
	 * were lost or a loss would not show in the counter of the PID */
	uint64_t packets;
};

/* Judges the next PCR.  A step back is a jump if it is longer than
 * SPLICE_CLOCK_DIP_MS (after a gap in the counter: SPLICE_CLOCK_BACK_MS), or if
 * it follows a late PCR and continues that one.  A step of more than
 * SPLICE_CLOCK_STEP_MS is a jump if it exceeds the time that passed by more
 * than SPLICE_JUMP_MS.  It is also a jump if it exceeds the time that passed
 * and the usual distance of the PCRs, unless the packets were delayed.  They
 * were not delayed if the PCR is early, or if it advances by more than the
 * packets since the PCR before need at the steady rate of the source. */
enum splice_pcr splice_clock_judge(const struct splice_clock *,
				   const struct splice_watch *,
				   struct splice_reading, uint64_t now_ns);

/* True if `odd', a PCR that jumps, is wrong alone: `next' continues the clock,
 * and is closer to the value expected after the clock than to the value
 * expected after `odd'. */
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

/* Places the clock after a cut: sets the offset for a source whose PCRs are
 * `phase` (27 MHz, smoothed) ahead of the time.  Changes nothing if no PCR was
 * sent yet. */
void splice_clock_join_phase(struct splice_clock *, uint64_t phase,
			     uint64_t now_ns);

/* Places the clock after a cut: sets the offset for a source of unknown phase
 * whose first PCR, as received, goes out now.  Changes nothing if no PCR was
 * sent yet. */
void splice_clock_join_pcr(struct splice_clock *, uint64_t pcr,
			   struct splice_moment now);

/* How the first PCR after splice_clock_join_phase() continues the output. */
enum splice_fit {
	SPLICE_FIT_GOOD,
	SPLICE_FIT_BACK,  /* the PCR goes back: needs splice_clock_raise() */
	SPLICE_FIT_STEP,  /* the PCR is too far ahead of the time */
	SPLICE_FIT_WRONG, /* the PCR goes back so far that the phase was
			   * wrong */
};

enum splice_fit splice_clock_fit(const struct splice_clock *, uint64_t pcr,
				 uint64_t now_ns);

/* True if a received PCR, of any PID, is less than SPLICE_CLOCK_FIT_MS from the
 * PCR that the active source is expected to send now. */
bool splice_clock_is_near(const struct splice_clock *, uint64_t pcr,
			  uint64_t now_ns);

/* Moves all times of the source later by `ticks' (90 kHz). */
void splice_clock_shift(struct splice_clock *, uint64_t ticks);

/* Moves the times of the source later, just so far that this PCR does not go
 * back. */
void splice_clock_raise(struct splice_clock *, uint64_t pcr);

/* By how much (27 MHz) a received PCR could be sent later, if its step stays
 * 10 ms below SPLICE_CLOCK_STEP_MS.  Negative: the step is already longer. */
int64_t splice_clock_room(const struct splice_clock *, uint64_t pcr);

/* The distance of a received PCR from the last output PCR, 27 MHz. */
int64_t splice_clock_gap(const struct splice_clock *, uint64_t pcr);

/* The output clock at now_ns, 27 MHz. */
uint64_t splice_clock_at(const struct splice_clock *, uint64_t now_ns);
