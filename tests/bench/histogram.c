/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/histogram.h"

#include "common/base/util.h"

#include <stddef.h>

enum { EXACT_BITS = 6, STEPS = HISTOGRAM_EXACT / 2 };

_Static_assert(1 << EXACT_BITS == HISTOGRAM_EXACT, "two views of one number");

static size_t bucket_of(uint64_t value)
{
	if (value < HISTOGRAM_EXACT)
		return value;
	unsigned octave = 63 - (unsigned)__builtin_clzll(value) - EXACT_BITS;
	size_t step = (value >> (octave + 1)) - STEPS;
	return MIN(HISTOGRAM_EXACT + octave * STEPS + step,
		   (size_t)HISTOGRAM_BUCKETS - 1);
}

/* The largest value that falls into the bucket. */
static uint64_t bucket_top(size_t bucket)
{
	if (bucket < HISTOGRAM_EXACT)
		return bucket;
	size_t octave = (bucket - HISTOGRAM_EXACT) / STEPS;
	uint64_t step = (bucket - HISTOGRAM_EXACT) % STEPS + STEPS;
	return ((step + 1) << (octave + 1)) - 1;
}

void histogram_add(struct histogram *h, uint64_t value)
{
	h->n++;
	h->max = MAX(h->max, value);
	h->buckets[bucket_of(value)]++;
}

uint64_t histogram_permille(const struct histogram *h, unsigned permille)
{
	uint64_t wanted = (h->n * permille + 999) / 1000;
	uint64_t seen = 0;

	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += h->buckets[i];
		if (seen >= wanted && seen > 0)
			return MIN(bucket_top(i), h->max);
	}
	return h->max;
}
