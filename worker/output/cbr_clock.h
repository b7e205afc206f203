/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The clock of one program in an output of constant bit rate.
 *
 * Time is that of the output in ticks of 27 MHz: the position of a byte.  PCRs
 * are computed from it, so they are as exact as the position.  The frequency of
 * the clock follows that of the source within the limits of ISO/IEC 13818-1
 * 2.4.2.1 (cbr_loop.h).  A change of the delay of the path becomes a small
 * change of the frequency for hours.
 *
 * The clock jumps and announces the discontinuity
 *   - if the source starts a new time base;
 *   - if the source continues the old one after a pause, and does not catch up;
 *   - if the packets are so late that units would leave after their DTS, and
 *     the source does not catch up;
 *   - if the source is further away than CBR_FAR_MS for CBR_FAR_WINDOWS
 *     windows, or than CBR_STRAY_MS for a whole window.
 * The PCRs then match the PTS and DTS of the source again.
 *
 * Pure.  Embedded; zeroed memory with a pid is a clock before its first PCR.
 */
#pragma once

#include "worker/output/cbr_loop.h"
#include "worker/ts/packet.h"

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
	/* The largest difference that a change of the frequency removes. */
	CBR_FAR_MS = 100,
	CBR_FAR_WINDOWS = 15, /* windows of CBR_WINDOW_MS: a minute */
	/* A whole window with a larger difference is another time base. */
	CBR_STRAY_MS = 300,
	/* After a silence of this length, seen by an awake worker, a difference
	 * above CBR_STRAY_MS means that the clock of the source stopped.  After
	 * a shorter silence packets have CBR_FIRST_WINDOW_MS to catch up. */
	CBR_PAUSE_MS = 1000,
	/* The length of such a silence in a multiplex, whose packets also have
	 * this time to catch up (mux/delay_line.h). */
	CBR_PAUSE_MUX_MS = 2000,
	/* The PCRs after a silence show whether the clock of the source
	 * stopped: if the packets of the silence arrive in a burst, their clock
	 * catches up.  Without a burst a PCR after this time decides. */
	CBR_DOUBT_MS = 30,
	/* Margin: a unit may have so much less time from its PCR to its DTS
	 * than measured. */
	CBR_LEAD_SPARE_MS = 80,
	/* The measured lead (from a PCR to the DTS of a unit) falls at once,
	 * and rises within this time: other tracks may have a smaller one. */
	CBR_LEAD_RISE_MS = 10000,
	/* A DTS further behind its PCR is an error of the source. */
	CBR_LEAD_MAX_MS = 10000,
	CBR_JUMPS = 8, /* most announced time bases in the queue */
};

/* A PCR of the input. */
struct cbr_arrival {
	uint64_t pcr;
	bool announced; /* with a discontinuity_indicator */
	uint64_t tick; /* time of arrival */
	uint64_t awake; /* ticks so far in which the worker was awake */
	bool held; /* the packets since a pause wait until it is decided
		    * whether the clock stopped */
};

struct cbr_clock {
	uint16_t pid;
	bool left;          /* no PMT names the PID */
	bool mux;           /* the clock is one of a multiplex */
	bool begun;         /* an inserted packet will announce a new time
			     * base */
	/* the last content packet of the PID in the output, and whether an
	 * inserted packet followed it */
	uint8_t last[TS_PACKET];
	bool parted;
	bool running;       /* base_tick and base_pcr are set */
	uint64_t base_tick; /* tick at which the clock is base_pcr */
	uint64_t base_pcr;
	int64_t fraction;   /* fraction of a tick at base_tick, in 1e-12 */
	/* the correction of the frequency, now and as it should be, in 1e-12 */
	int64_t slew_ppt, wanted_ppt;
	uint64_t ramp_tick; /* tick of the last change of slew_ppt */
	struct cbr_loop loop;
	bool has_fresh;     /* fresh_ppt is set */
	int64_t fresh_ppt;  /* the slew of the next announced time base */

	/* the input */
	uint64_t in_pcr, in_tick, in_awake; /* values of the last PCR */
	int64_t off;        /* lead of the last PCR over the output, ticks */
	/* the least distance from the PCR to the DTS of a unit; 0: unknown */
	int64_t lead;
	uint64_t lead_tick; /* tick of the PCR in front of the last unit */
	uint64_t patient_tick; /* delayed packets may catch up until then */
	/* by how much each time base whose packet is still in the queue differs
	 * from the one before it, in ticks */
	int64_t jumps[CBR_JUMPS];
	uint8_t n_jumps;
	int64_t shift;      /* sum of jumps */
	uint8_t windows;    /* windows since the time base began, up to
			     * CBR_FIRST_WINDOWS */
	uint64_t window_tick;
	uint64_t measured_tick; /* tick of the loop's last measurement */
	/* largest and smallest lead of a PCR in the window, in ticks */
	int64_t early, late;
	uint8_t far;        /* windows in a row beyond CBR_FAR_MS */
	/* The next PCR starts a new time base if its lead is not less than
	 * stray_off by more than CBR_STEP_MS. */
	bool stray;
	int64_t stray_off;
	/* A time base began after a pause, because the source was late by
	 * -doubt_off ticks.  If the source catches up, the time base is taken
	 * back.  Until this is decided, the packets since the pause are held
	 * back. */
	bool doubts;
	uint64_t doubt_tick;
	int64_t doubt_off;

	/* the output */
	bool sent;
	uint64_t sent_tick;
};

/* Takes a PCR of the input; true: it starts a new time base, which its packet
 * announces when it leaves.  While `doubts' is set, packets wait.  If n_jumps
 * is 0 at the end of the doubt, no time base began. */
bool cbr_clock_arrived(struct cbr_clock *, const struct cbr_arrival *);

/* Takes the DTS (27 MHz) of a unit of this clock, behind its last PCR. */
void cbr_clock_unit(struct cbr_clock *, uint64_t dts);

/* How much later than the last PCR packets may be so that the units of all
 * video and audio of the program leave before their DTS; INT64_MAX: unknown. */
int64_t cbr_clock_slack(const struct cbr_clock *);

/* Call it if the queue has no room for this PCR, so that the distance to the
 * next one is not taken for a jump. */
void cbr_clock_missed(struct cbr_clock *, const struct cbr_arrival *);

/* Returns the PCR to write into a packet that leaves at tick.  jump: the packet
 * announces a new time base. */
uint64_t cbr_clock_leave(struct cbr_clock *, uint64_t tick, bool jump);

/* Call it when the packet that announces a time base is dropped.  The next
 * announced time base includes its jump.  False: none is announced, so the
 * caller must announce the time base. */
bool cbr_clock_skip(struct cbr_clock *);

/* Does this packet repeat the last one of its PID, but for the PCR?  Both have
 * to be consecutive packets of the PID (ISO/IEC 13818-1 2.4.3.3). */
bool cbr_clock_repeats(const struct cbr_clock *, const uint8_t *packet);
