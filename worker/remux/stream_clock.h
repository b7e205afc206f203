/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time of a stream from its own PCRs.  It never goes back.  While PCRs are
 * missing or jump, the time of the caller replaces them.
 *
 * Embedded; zeroed memory is ready.
 */
#pragma once

#include "worker/ts/pcr.h"

enum {
	/* After this time without a PCR the clock advances with the time of the
	 * caller. */
	STREAM_CLOCK_PATIENCE_MS = 200,
	/* A PCR that is further ahead than this begins a new time base. */
	STREAM_CLOCK_JUMP_MS = 1000,
};

struct stream_clock {
	uint64_t ticks; /* 27 MHz: the time of the stream */
	uint64_t pcr;   /* the last PCR, 27 MHz */
	bool has_pcr; /* a PCR has arrived */
	bool started;   /* at_ns is set */
	uint64_t at_ns; /* time of the caller when the clock last advanced */
};

/* Takes a PCR; returns the ticks by which the clock advanced; 0: the PCR is the
 * first one, repeats the last one, or begins a new time base.  jump: the caller
 * knows that this PCR begins a new time base. */
uint64_t stream_clock_pcr(struct stream_clock *, uint64_t pcr, bool jump,
			  uint64_t now_ns);

/* Advances the clock while PCRs are missing; to be called once per wake-up. */
void stream_clock_tick(struct stream_clock *, uint64_t now_ns);
