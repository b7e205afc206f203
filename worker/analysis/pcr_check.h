/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks the PCRs of one PID (TR 101 290 2.3, 2.4).
 *
 * The repetition is measured by the times of arrival; a PCR that arrives late,
 * but has a value close to the last one, is no error.  Jumps are measured by
 * the values.  A PCR that repeats the last value does not count for the
 * repetition.  The accuracy (PCR_AC) is measured by the positions of the PCRs
 * in a stream of constant rate, so it does not depend on the clock of the host.
 * It cannot be measured when the rate of the stream changes.
 *
 * Pure.  Embedded; zeroed memory is ready.
 */
#pragma once

#include "worker/ts/pcr.h"

enum {
	PCR_REPETITION_MAX_MS = 100,  /* TR 101 290 2.3a */
	PCR_ACCURACY_MAX_NS = 500,    /* TR 101 290 2.4 */
	/* tolerance: the time of arrival is that of the wake-up that read the
	 * PCR, which may be later */
	PCR_ARRIVAL_GRAIN_MS = 20,
	PCR_SAMPLES = 64,
};

struct pcr_check {
	bool started;
	/* value, arrival and packet number of the last PCR */
	uint64_t last, last_ns, last_packet;
	uint64_t moved_ns;        /* arrival of the last value that was new */
	uint64_t silent_ns;       /* silence since the last PCR; 0: none */
	uint32_t damaged;         /* damaged packets since the last PCR */
	/* values of the current second */
	uint32_t count;           /* PCRs */
	uint32_t repetition_errors;
	uint32_t discontinuity_errors;
	uint32_t frozen;          /* PCRs equal to the one before */
	uint32_t steps;           /* number of differences of two PCRs that are
				   * no jumps */
	uint64_t steps_ticks;     /* sum of the differences in steps, 27 MHz */
	uint64_t step_max;        /* largest difference in steps, 27 MHz */
	uint64_t arrival_max_ns;  /* longest time between two arrivals */
	/* values since the start */
	uint64_t all;             /* PCRs */
	uint32_t jumps;           /* discontinuity errors */
	uint32_t announced;       /* jumps with a discontinuity_indicator */
	uint64_t span_ticks;      /* sum of all differences of two PCRs without
				   * jumps */
	uint64_t span_packets;    /* packets between the PCRs of span_ticks */
	size_t n_samples;
	/* PCR and packet number of each sample; those of sample 0 are absolute,
	 * the others are relative to sample 0 */
	uint64_t sample_pcr[PCR_SAMPLES];
	uint64_t sample_packet[PCR_SAMPLES];
};

struct pcr_report {
	uint32_t repetition_errors;
	uint32_t discontinuity_errors;
	uint32_t frozen;
	bool stands;              /* PCRs arrived in this second, all equal to
				   * the last PCR of the second before */
	uint32_t count;
	uint32_t interval_us;     /* mean difference of two PCRs */
	uint32_t interval_max_us; /* largest difference of two PCRs */
	uint32_t arrival_max_us;  /* longest time between two arrivals */
	bool constant;         /* the rate is constant: accuracy_ns is valid */
	uint32_t accuracy_ns;  /* largest deviation of a PCR (PCR_AC) */
};

/* Takes a packet of the PID, the nth packet of the multiplex. */
void pcr_check_feed(struct pcr_check *, const uint8_t *packet, uint64_t nth,
		    uint64_t now_ns);
/* Notes a packet of the PID with transport_error_indicator.  It may have had a
 * PCR, whose loss is no fault of its own (TR 101 290 5.2.2): for each such
 * packet the next PCR may be later by the longest interval. */
void pcr_check_damaged(struct pcr_check *);
/* Begins the limits anew after a silence of the source, which ends at
 * now_ns.  A PCR that has advanced by the time of the silence is no jump. */
void pcr_check_resume(struct pcr_check *, uint64_t now_ns);
/* The rate of the multiplex in bit/s, over all intervals without a jump; 0: not
 * known. */
uint64_t pcr_check_bps(const struct pcr_check *);
/* To be called when the tables begin or cease to name the PID or its PCRs.  The
 * next PCR is not compared with earlier ones, and the faults of this second do
 * not count. */
void pcr_check_restart(struct pcr_check *);
/* Ends the second and writes its report. */
void pcr_check_second(struct pcr_check *, uint64_t now_ns,
		      struct pcr_report *ret);
