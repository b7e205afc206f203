/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The clock of one program in an output of constant rate.
 *
 * Time is that of the output, in ticks of 27 MHz: what a byte's place says.
 * The program's PCRs are written from it, so they are as exact as the place;
 * how fast the source's clock runs against ours is made up for slowly, by a
 * change of frequency that no receiver sees.  Where the source begins a new
 * time base, or goes on with the old one behind a pause, the clock follows at
 * once, and says so.
 *
 * Pure.  Embedded; zeroed memory, with a pid, has seen nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	/* What arrives is late by this and that: the least late of so long
	 * tells how the clocks stand. */
	CBR_WINDOW_MS = 4000,
	/* The first windows of a time base are shorter: what was held up and
	 * comes all at once runs ahead of the clock it began with. */
	CBR_FIRST_WINDOW_MS = 1000,
	CBR_FIRST_WINDOWS = 2,
	/* That far apart they may be: arrival is seen at wake-ups. */
	CBR_LOOSE_MS = 5,
	/* Beyond it the difference is gone in so long ... */
	CBR_CLOSE_S = 300,
	/* ... but never faster than by that, nor the frequency changed by
	 * more in a second. */
	CBR_SLEW_MAX_PPB = 50000,
	CBR_RAMP_PPB = 500,
	/* A whole window that far off is no drift: another time base. */
	CBR_STRAY_MS = 300,
	/* Nothing for so long though we listened: what is that far off then
	 * was not late, its clock stood still.  Behind less than that it has
	 * CBR_FIRST_WINDOW_MS to catch up. */
	CBR_PAUSE_MS = 1000,
	CBR_JUMPS = 8, /* time bases that wait to leave */
};

/* A PCR that comes. */
struct cbr_arrival {
	uint64_t pcr;
	bool announced; /* with a discontinuity_indicator */
	uint64_t tick;
	uint64_t listened; /* ticks so far in which it would have been seen */
};

struct cbr_clock {
	uint16_t pid;
	uint8_t cc;         /* of the last packet of the PID that left */
	bool running;       /* base is set */
	uint64_t base_tick; /* there the clock is base_pcr */
	uint64_t base_pcr;
	int64_t fraction;   /* of a tick, in 1e-9, at base_tick */
	int64_t slew_ppb, wanted_ppb;

	/* what arrived */
	uint64_t in_pcr, in_tick, in_listened; /* the last */
	/* of the time bases that arrived and have not left, in order */
	int64_t jumps[CBR_JUMPS];
	uint8_t n_jumps;
	int64_t shift;      /* all of them */
	uint8_t windows;    /* of this time base, as many as are short */
	uint64_t window_tick;
	int64_t early, late; /* of the window: the extremes */
	bool stray;         /* the next one that arrives jumps */

	/* what left */
	bool sent;
	uint64_t sent_tick;
};

/* True when it begins a new time base, which the packet is to announce when it
 * leaves. */
bool cbr_clock_arrived(struct cbr_clock *, const struct cbr_arrival *);

/* The PCR to write into a packet that leaves at tick; jump: this one announces
 * a time base. */
uint64_t cbr_clock_leave(struct cbr_clock *, uint64_t tick, bool jump);
