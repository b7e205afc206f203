/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the inter-arrival times (IAT) of datagrams by the kernel's time
 * stamps, the delay factor of RFC 4445, and the jitter of PCRs.
 *
 * Collects for about a second, then judges.  Datagrams that the kernel
 * delivered together (UDP_GRO) are one arrival.
 *
 * Pure: time is an argument.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	IAT_IN_MAX = 16384, /* arrivals; later ones are not noted */
	IAT_IN_PCRS_MAX = 1024,
	IAT_IN_PIDS_MAX = 8,
	/* Arrivals in this time after the start are ignored: the kernel has
	 * not stamped them, and they carry the time of the read. */
	IAT_IN_SETTLE_MS = 100,
};

struct iat_in;

struct iat_in_report {
	uint64_t at_ns;      /* monotonic time of the report; 0: none yet */
	uint32_t datagrams;
	/* gaps between datagrams, of those that arrived together as well; 0:
	 * the values below are not valid */
	uint32_t gaps;
	uint32_t min_us, mean_us, p50_us, p95_us, p99_us, max_us;
	uint32_t rate_kbps;  /* mean rate */
	uint32_t df_us;      /* delay factor at that rate */
	size_t n_pcrs;
	struct {
		uint16_t pid;
		/* range of the deviations of the arrivals from the PCRs */
		uint32_t jitter_us;
	} pcrs[IAT_IN_PIDS_MAX];
};

/* Starts a measurement.  wall_ns: the current time by the clock of the time
 * stamps. */
struct iat_in *iat_in_new(uint64_t wall_ns);
void iat_in_free(struct iat_in **);

struct arrival {
	uint64_t wall_ns; /* the kernel's time stamp */
	const uint8_t *data;
	size_t len;
	/* bytes of each datagram in data; the last one may be shorter */
	size_t segment;
};

/* Notes an arrival; the calls are in order of time. */
void iat_in_note(struct iat_in *, const struct arrival *);

/* Writes the report of the noted arrivals, except at_ns. */
void iat_in_judge(struct iat_in *, struct iat_in_report *ret);
