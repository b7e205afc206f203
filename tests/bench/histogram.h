/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts values by size, exact below 64 and within 3 % above, so that
 * percentiles of millions of values need a few kilobytes.
 *
 * Embedded; zeroed memory is an empty histogram.
 */
#pragma once

#include <stdint.h>

enum {
	HISTOGRAM_EXACT = 64, /* one bucket a value below, 32 an octave above */
	HISTOGRAM_BUCKETS = HISTOGRAM_EXACT + 32 * 26,
};

struct histogram {
	uint64_t n;
	uint64_t max;
	uint64_t buckets[HISTOGRAM_BUCKETS];
};

void histogram_add(struct histogram *, uint64_t value);

/* The value that permille of 1000 values do not exceed; 0 when empty. */
uint64_t histogram_permille(const struct histogram *, unsigned permille);
