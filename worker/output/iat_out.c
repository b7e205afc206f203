/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/iat_out.h"

#include "common/base/util.h"

#include <string.h>

static const uint32_t limits_us[] = { 10, 20, 50, 100, 200, 500, 1000, 2000,
				      5000, 10000, 20000, 50000 };

_Static_assert(ARRAY_LEN(limits_us) + 1 == IAT_OUT_BINS,
	       "the last bin has no limit");

uint64_t iat_out_limit_us(size_t bin)
{
	return bin < ARRAY_LEN(limits_us) ? limits_us[bin] : UINT64_MAX;
}

void iat_out_add(struct iat_out *d, uint64_t now_ns, size_t n)
{
	uint64_t gap_ns = now_ns - d->last_ns;
	size_t bin = 0;

	if (d->last_ns > 0) {
		while (gap_ns / 1000 >= iat_out_limit_us(bin))
			bin++;
		d->all[bin]++;
		d->recent[bin]++;
		d->recent_max_ns = MAX(d->recent_max_ns, gap_ns);
	}
	d->all[0] += n - 1;
	d->recent[0] += (uint32_t)(n - 1);
	d->last_ns = now_ns;
}

/* The time, in us, below which this percentage of the recent times lies: the
 * limit of a bin, but at most the longest time. */
static uint64_t quantile(const struct iat_out *d, uint64_t percent)
{
	uint64_t sum = 0, below = 0;
	size_t bin = 0;

	for (size_t i = 0; i < IAT_OUT_BINS; i++)
		sum += d->recent[i];
	for (; bin < IAT_OUT_BINS - 1; bin++) {
		below += d->recent[bin];
		if (below * 100 >= sum * percent)
			break;
	}
	return MIN(iat_out_limit_us(bin), d->recent_max_ns / 1000);
}

void iat_out_every_second(struct iat_out *d)
{
	d->p50_us = quantile(d, 50);
	d->p99_us = quantile(d, 99);
	d->max_us = d->recent_max_ns / 1000;
	memset(d->recent, 0, sizeof d->recent);
	d->recent_max_ns = 0;
}
