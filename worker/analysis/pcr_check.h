/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The PCRs of one PID, checked (TR 101 290 2.3, 2.4).
 *
 * Intervals are measured by arrival, jumps by the values, and the accuracy by
 * the position in a stream of constant rate: PCR_AC needs no clock of ours.  A
 * stream whose rate changes has no measurable accuracy.
 *
 * Pure.  Embedded; zeroed memory is ready.
 */
#pragma once

#include "worker/ts/pcr.h"

enum {
	PCR_REPETITION_MAX_MS = 100,  /* TR 101 290 2.3a */
	PCR_ACCURACY_MAX_NS = 500,    /* 2.4 */
	/* the interval of the wake-ups adds to the arrival */
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
	uint32_t steps;           /* to the next value, without a jump */
	uint64_t steps_ticks;     /* all of them together */
	uint64_t step_max;        /* ticks */
	uint64_t arrival_max_ns;
	/* since the begin */
	uint64_t all;
	uint32_t jumps;           /* discontinuity errors */
	uint32_t announced;       /* jumps with a discontinuity_indicator */
	uint64_t span_ticks;      /* all steps together ... */
	uint64_t span_packets;    /* ... and the packets in them */
	size_t n_samples;
	uint64_t sample_pcr[PCR_SAMPLES];    /* ticks since the first */
	uint64_t sample_packet[PCR_SAMPLES]; /* packets since the first */
};

struct pcr_report {
	uint32_t repetition_errors;
	uint32_t discontinuity_errors;
	uint32_t frozen;
	uint32_t count;
	uint32_t interval_us;     /* mean distance of the values ... */
	uint32_t interval_max_us; /* ... and the longest */
	uint32_t arrival_max_us;  /* longest time between two arrivals */
	bool constant;         /* the rate is constant: accuracy_ns is valid */
	uint32_t accuracy_ns;  /* the largest deviation */
};

/* A packet with a PCR: the packet is the nth of the multiplex. */
void pcr_check_feed(struct pcr_check *, const uint8_t *packet, uint64_t nth,
		    uint64_t now_ns);
/* The rate of the multiplex over all intervals without a jump; 0: not known. */
uint64_t pcr_check_bps(const struct pcr_check *);
/* Ends the second. */
void pcr_check_second(struct pcr_check *, uint64_t now_ns,
		      struct pcr_report *ret);
