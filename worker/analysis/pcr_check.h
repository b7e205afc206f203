/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The PCRs of one PID, checked (TR 101 290 2.3, 2.4).
 *
 * Intervals are told by arrival, jumps by the values, the accuracy by the
 * position in a stream of constant rate: PCR_AC needs no clock of ours.  A
 * stream whose rate changes has no measurable accuracy.
 *
 * Pure.  Embedded; zeroed memory is ready.
 */
#pragma once

#include "worker/ts/pcr.h"

enum {
	PCR_REPETITION_MAX_MS = 100,  /* TR 101 290 2.3a */
	PCR_ACCURACY_MAX_NS = 500,    /* 2.4 */
	/* what a wake-up every so often adds to the arrival */
	PCR_ARRIVAL_GRAIN_MS = 20,
	PCR_SAMPLES = 64,
};

struct pcr_check {
	bool started;
	uint64_t last, last_ns, last_packet;
	/* this second */
	uint32_t count;
	uint32_t repetition_errors;
	uint32_t discontinuity_errors;
	uint32_t frozen;          /* the same value again */
	size_t n_samples;
	uint64_t sample_pcr[PCR_SAMPLES];    /* ticks since the first */
	uint64_t sample_packet[PCR_SAMPLES]; /* packets since the first */
};

struct pcr_report {
	uint32_t repetition_errors;
	uint32_t discontinuity_errors;
	uint32_t frozen;
	bool constant;         /* the rate is; the rest is valid then */
	uint32_t accuracy_ns;  /* the most that one is off */
};

/* A packet with a PCR: the packet is the nth of the multiplex. */
void pcr_check_feed(struct pcr_check *, const uint8_t *packet, uint64_t nth,
		    uint64_t now_ns);
/* Ends the second. */
void pcr_check_second(struct pcr_check *, uint64_t now_ns,
		      struct pcr_report *ret);
