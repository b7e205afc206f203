/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The clock of one program in an output of constant bit rate.
 *
 * Time is that of the output in ticks of 27 MHz: the position of a byte.  PCRs
 * are computed from it, so they are as exact as the position.  The clock
 * follows the frequency of the source slowly, by changes that no receiver
 * notices.  If the source starts a new time base, or continues the old one
 * after a pause, the clock jumps and announces the discontinuity.
 *
 * Pure.  Embedded; zeroed memory with a pid is a clock before its first PCR.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	/* PCRs arrive late by a varying delay.  The smallest delay of a window
	 * compares the two clocks. */
	CBR_WINDOW_MS = 4000,
	/* The first windows of a time base are shorter: delayed packets that
	 * arrive in a burst are ahead of the clock that started with them. */
	CBR_FIRST_WINDOW_MS = 1000,
	CBR_FIRST_WINDOWS = 2,
	/* A difference up to this is ignored: arrival is seen at wake-ups. */
	CBR_LOOSE_MS = 5,
	/* A larger difference is removed in this time, ... */
	CBR_CLOSE_S = 300,
	/* ... but never faster than this, and the frequency changes by at most
	 * CBR_RAMP_PPB per second. */
	CBR_SLEW_MAX_PPB = 50000,
	CBR_RAMP_PPB = 500,
	/* A whole window with a larger difference is another time base. */
	CBR_STRAY_MS = 300,
	/* After a silence of this length, seen by an awake worker, such a
	 * difference means that the clock of the source stopped.  After a
	 * shorter silence packets have CBR_FIRST_WINDOW_MS to catch up. */
	CBR_PAUSE_MS = 1000,
	CBR_JUMPS = 8, /* announced time bases in the queue */
};

/* A PCR of the input. */
struct cbr_arrival {
	uint64_t pcr;
	bool announced; /* with a discontinuity_indicator */
	uint64_t tick;
	uint64_t awake; /* ticks so far in which the worker was awake */
};

struct cbr_clock {
	uint16_t pid;
	uint8_t cc;         /* counter of the PID's last packet in the output */
	bool running;       /* base_tick and base_pcr are set */
	uint64_t base_tick; /* tick at which the clock is base_pcr */
	uint64_t base_pcr;
	int64_t fraction;   /* fraction of a tick at base_tick, in 1e-9 */
	int64_t slew_ppb, wanted_ppb;

	/* the input */
	uint64_t in_pcr, in_tick, in_awake; /* values of the last PCR */
	/* differences of the time bases that are still in the queue */
	int64_t jumps[CBR_JUMPS];
	uint8_t n_jumps;
	int64_t shift;      /* sum of jumps */
	uint8_t windows;    /* windows since the time base began, up to
			     * CBR_FIRST_WINDOWS */
	uint64_t window_tick;
	int64_t early, late; /* extremes of the window */
	bool stray;         /* the next PCR starts a new time base */

	/* the output */
	bool sent;
	uint64_t sent_tick;
};

/* Takes a PCR of the input; true: it starts a new time base, which its packet
 * announces when it leaves. */
bool cbr_clock_arrived(struct cbr_clock *, const struct cbr_arrival *);

/* The PCR of a packet that leaves at tick; jump: the packet announces a new
 * time base. */
uint64_t cbr_clock_leave(struct cbr_clock *, uint64_t tick, bool jump);
