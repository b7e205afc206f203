/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the inter-arrival times (IAT) of datagrams by the kernel's time
 * stamps, the delay factor of RFC 4445, and the jitter of PCRs.
 *
 * Collects for about a second, then judges.  Datagrams that the kernel
 * delivered together (UDP_GRO) are one arrival.
 *
 * Pure: time comes in as a number.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	IAT_IN_MAX = 16384, /* arrivals; later ones are not noted */
	IAT_IN_PCRS_MAX = 1024,
	IAT_IN_PIDS_MAX = 8,
	/* The first arrivals carry the time of their read instead. */
	IAT_IN_SETTLE_MS = 100,
};

struct iat_in;

struct iat_in_report {
	uint64_t at_ns;      /* when it was made, monotonic; 0: never */
	uint32_t datagrams;
	uint32_t gaps;       /* between them; 0: no figure below is valid */
	uint32_t min_us, mean_us, p50_us, p95_us, p99_us, max_us;
	uint32_t rate_kbps;  /* mean */
	uint32_t df_us;      /* delay factor at that rate */
	size_t n_pcrs;
	struct {
		uint16_t pid;
		uint32_t jitter_us; /* from the earliest to the latest */
	} pcrs[IAT_IN_PIDS_MAX];
};

/* wall_ns: the current time by the clock of the time stamps. */
struct iat_in *iat_in_new(uint64_t wall_ns);
void iat_in_free(struct iat_in **);

struct arrival {
	uint64_t wall_ns;
	const uint8_t *data; /* datagrams of `segment` bytes, the last may be */
	size_t len;          /* shorter */
	size_t segment;
};

/* In order of time. */
void iat_in_note(struct iat_in *, const struct arrival *);

/* Writes all but at_ns. */
void iat_in_judge(struct iat_in *, struct iat_in_report *ret);
