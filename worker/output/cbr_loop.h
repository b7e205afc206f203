/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Computes the frequency of the PCRs that an output of constant bit rate
 * writes.
 *
 * The PCRs run by the clock of the machine, times a correction (the slew) that
 * makes them follow the clock of the source.  ISO/IEC 13818-1 2.4.2.1 allows a
 * frequency of 27 MHz +- 810 Hz and a drift of 75 mHz a second, so the loop is
 * a slow one: its time constant is CBR_LOOP_S, and a difference of 30 ms takes
 * two hours.  Meanwhile the difference stays, and the receivers' buffers
 * absorb it.
 *
 * A source whose frequency differs by f ppm is followed without a break if
 * f^2 / 5.4 ms, the difference that the limit of the drift causes, stays below
 * CBR_FAR_MS of cbr_clock.h: up to 23 ppm.  Beyond it the clock starts one new
 * time base, at the frequency that the loop has measured.
 *
 * Pure.  Embedded; zeroed memory is ready.
 */
#pragma once

#include "common/base/util.h"

#include <stdint.h>

enum {
	/* Largest slew, in 1e-12; 810 Hz are 30 ppm. */
	CBR_SLEW_MAX_PPT = 29990000,
	/* Largest change of the slew in a second, in 1e-12; 75 mHz are
	 * 2778e-12. */
	CBR_RAMP_PPT = 2700,
	/* Time constant in s; the loop is damped critically. */
	CBR_LOOP_S = 2500,
	/* A measurement further from the expected one shows another delay of
	 * the path, not another frequency. */
	CBR_STEP_MS = 15,
	/* The number of measurements over which the frequency is averaged. */
	CBR_LOOP_SMOOTH = 200,
	/* Most difference of the source's frequency that is measured, in
	 * 1e-12. */
	CBR_RATE_MAX_PPT = 100000000,
};

static inline int64_t cbr_clamp(int64_t value, int64_t most)
{
	return MAX(MIN(value, most), -most);
}

struct cbr_loop {
	unsigned n;       /* measurements, up to CBR_LOOP_SMOOTH */
	int64_t error;    /* estimated lead of the source, 1e-6 tick */
	int64_t rate_ppt; /* estimated frequency of the source against that of
			   * the machine */
};

/*
 * Takes the measured lead of the source over the output, both in ticks of
 * 27 MHz, `ticks` after the last measurement.  Returns the slew that the output
 * should have `next_ms` later; slew_ppt is the current one.
 */
int64_t cbr_loop_measure(struct cbr_loop *, int64_t lead, int64_t ticks,
			 int64_t slew_ppt, unsigned next_ms);

/* Call it when a new time base has removed the lead of the same source.
 * Returns the slew of that time base. */
int64_t cbr_loop_rebase(struct cbr_loop *, int64_t slew_ppt);
