/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes a stream of constant bitrate of what comes: null packets are made
 * anew, PCRs are written anew by the place they leave at.
 *
 * Null packets that come are left out.  What comes is spread evenly over the
 * places of its time; what does not fit waits, CBR_QUEUE_MS at most, and what
 * does not fit then is left out and counted.  PCRs of a PID that are further
 * apart than CBR_PCR_MS get packets with nothing but a PCR in between.
 *
 * It begins with the first packet, and ends when nothing but null packets came
 * for CBR_SILENCE_MS: the silence of a source is not hidden behind nulls for
 * good.  Behind CBR_PAUSE_MS of silence what comes waits for its first PCR,
 * CBR_HELD_MS at most, so that a clock that is another one leaves in front.
 *
 * Pure: time comes in as a number.  Owns what waits.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	CBR_QUEUE_MS = 1000,
	CBR_SILENCE_MS = 2000,
	CBR_HELD_MS = 100,
	CBR_PCR_MS = 38,     /* at most 40 is asked for (TS 101 154 4.1.5) */
	CBR_PCR_NULL_MS = 30, /* from here on in the place of a null packet */
	CBR_CLOCKS = 64,     /* PIDs with PCRs; others are left as they are */
	/* With that much due bursts grow to PACER_LATE_BURST_MS ... */
	CBR_BEHIND_MS = 100,
	/* ... and what is due longer than that is not made up for. */
	CBR_LATE_MS = 1000,
};

struct cbr;

struct cbr_counters {
	uint64_t overflow; /* packets that did not fit */
	uint64_t nulls;    /* made */
	uint64_t pcrs;     /* packets made for a PCR */
	uint64_t skipped;  /* of the rate, that a late wake-up left out */
};

/* kbps: CBR_MIN_KBPS to CBR_MAX_KBPS; burst_ms: PACER_BURST_MS at most, of one
 * run. */
struct cbr *cbr_new(unsigned kbps, unsigned burst_ms);
void cbr_free(struct cbr **);

/* Takes what comes at now_ns (never goes back). */
void cbr_feed(struct cbr *, const struct ts_run *runs, size_t n_runs,
	      uint64_t now_ns);

/* What leaves up to now_ns goes to out: whole datagrams of DATAGRAM_PACKETS, at
 * most a burst and one; more only where wake-ups come so late that the rate
 * could not be kept. */
void cbr_run(struct cbr *, uint64_t now_ns, ts_out_fn *out, void *arg);

/* When to run again though nothing comes; UINT64_MAX: when something does. */
uint64_t cbr_next_ns(const struct cbr *);

/* Is more due than one run may send? */
bool cbr_is_behind(const struct cbr *);

/* Once a second: gives back memory that a long queue took. */
void cbr_second(struct cbr *);

void cbr_counters(const struct cbr *, struct cbr_counters *ret);
