/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The output clock of one program: where the PCRs that come are put.
 *
 * While one source plays its PCRs are moved by one offset, so the output's
 * rate is the source's.  How far they run ahead of the time (the anchor) is
 * measured all along; behind a cut the next source is put where the clock
 * would be by then.  The error of one cut is not carried into the next one.
 *
 * Pure.
 */
#pragma once

#include "worker/splice/continuity.h"

enum {
	/* Measurements that the anchor is the mean of: about two seconds. */
	SPLICE_CLOCK_SMOOTH = 64,
	/* A measurement that far from the anchor is the new one. */
	SPLICE_CLOCK_STRAY_MS = 1000,
	/* How far the packets between two PCRs may contradict the time
	 * between them: arrival is seen at ticks only. */
	SPLICE_CLOCK_LOOSE_MS = 20,
	/* A source that fits the clock as closely as that goes on as it
	 * was: it is the same one again.  By one PCR; by a measured phase,
	 * SPLICE_CLOCK_LOOSE_MS. */
	SPLICE_CLOCK_FIT_MS = 200,
	/* A measured phase that is wrong by more, as the first PCR shows, is
	 * of no use. */
	SPLICE_CLOCK_WRONG_MS = 2000,
	/* A PCR that goes back by less is one that came out of order. */
	SPLICE_CLOCK_BACK_MS = 200,
	SPLICE_CLOCK_AHEAD_MAX_S = 60,

	SPLICE_PACKET_TICKS_MAX = 27000000, /* 256 times that: 0.1 s a packet */
	SPLICE_SPAN_MAX = 10 * 90000,
};

/* When, in time and in packets. */
struct splice_moment {
	uint64_t ns;
	uint64_t packets;
};

/* now in 27 MHz, with wrap. */
uint64_t splice_ticks_of_ns(uint64_t ns);

/* Smooths measurements of a difference between two clocks (27 MHz, with
 * wrap); *n counts them, at first 0. */
void splice_smooth(uint64_t *mean, uint8_t *n, uint64_t measured);

/* What a PCR that comes is for a source that plays. */
enum splice_pcr {
	SPLICE_PCR_GOOD,
	SPLICE_PCR_LATE, /* repeated or out of order: tells nothing */
	SPLICE_PCR_JUMP,
};

enum splice_pcr splice_clock_judge(const struct splice_clock *, uint64_t pcr,
				   uint64_t now_ns);

/* pcr, as it came, goes out now.  Not `live`: it was kept back, so that its
 * time is no measure. */
void splice_clock_note(struct splice_clock *, uint64_t pcr,
		       struct splice_moment now, bool live);

/* Behind a cut: the source's PCRs are `phase` (27 MHz) ahead of the time,
 * smoothed. */
void splice_clock_join_phase(struct splice_clock *, uint64_t phase,
			     uint64_t now_ns);

/* Behind a cut: this PCR of an unknown source goes out now. */
void splice_clock_join_pcr(struct splice_clock *, uint64_t pcr,
			   struct splice_moment now);

/* The first PCR behind splice_clock_join_phase() is pcr: the offset is raised
 * if it would go back.  False when the phase cannot have been right. */
bool splice_clock_settle(struct splice_clock *, uint64_t pcr, uint64_t now_ns);

/* How far one that comes is on from the last PCR that went out, 27 MHz. */
int64_t splice_clock_gap(const struct splice_clock *, uint64_t pcr);

/* Where the clock is at that moment, 27 MHz. */
uint64_t splice_clock_at(const struct splice_clock *, uint64_t now_ns);
