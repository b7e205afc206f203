/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How datagrams arrive, by the kernel's time stamps: the times between them,
 * the delay factor of RFC 4445, and how far PCRs are off their time.
 *
 * Collects for about a second, and is judged at the end.  What several of them
 * have in common is one arrival: the kernel handed them on together (UDP_GRO).
 *
 * Pure: time is what the caller says.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	ARRIVALS_MAX = 16384, /* datagrams; what comes behind is not noted */
	ARRIVALS_PCRS_MAX = 1024,
	ARRIVALS_PIDS_MAX = 8,
	/* At first some come with the time at which they were read. */
	ARRIVALS_SETTLE_MS = 100,
};

struct arrivals;

struct arrivals_report {
	uint64_t at_ns;      /* when it was made, monotonic; 0: never */
	uint32_t datagrams;
	uint32_t gaps;       /* between them; 0: the rest says nothing */
	uint32_t min_us, mean_us, p50_us, p95_us, p99_us, max_us;
	uint32_t rate_kbps;  /* of the bytes */
	uint32_t df_us;      /* against that rate */
	size_t n_pcrs;
	struct {
		uint16_t pid;
		uint32_t jitter_us; /* from the earliest to the latest */
	} pcrs[ARRIVALS_PIDS_MAX];
};

/* wall_ns: now, by the clock of the time stamps. */
struct arrivals *arrivals_new(uint64_t wall_ns);
void arrivals_free(struct arrivals **);

struct arrival {
	uint64_t wall_ns;
	const uint8_t *data; /* datagrams of `segment` bytes, the last may be */
	size_t len;          /* shorter */
	size_t segment;
};

/* Time goes on with each call. */
void arrivals_note(struct arrivals *, const struct arrival *);

/* at_ns is the caller's. */
void arrivals_judge(struct arrivals *, struct arrivals_report *ret);
