/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far apart the datagrams of an output leave: a histogram of the times
 * between two, as they are handed to the kernel.
 *
 * Those of one system call leave at once: nothing is between them.
 *
 * Pure.  Embedded; zeroed memory has seen nothing.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { DEPARTURE_BINS = 13 };

struct departures {
	uint64_t last_ns;
	uint64_t all[DEPARTURE_BINS];    /* since the beginning */
	uint32_t recent[DEPARTURE_BINS]; /* in this second ... */
	uint64_t recent_max_ns;
	uint64_t p50_us, p99_us, max_us; /* ... and what the last one was */
};

/* n datagrams, n > 0, leave at now_ns. */
void departures_note(struct departures *, uint64_t now_ns, size_t n);

/* Ends a second.  p50 and p99 are the upper bounds of their bins, and no more
 * than max. */
void departures_second(struct departures *);

/* A bin has what is below its limit and not in the one before; UINT64_MAX for
 * the last. */
uint64_t departures_limit_us(size_t bin);
