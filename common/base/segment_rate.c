/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/segment_rate.h"

#include "common/base/util.h"

static uint64_t bits_of(const struct ring_segment *s)
{
	return 8000 * (s->end - s->pos);
}

struct segment_rate segment_rate_of(const struct ring_segments *all)
{
	uint64_t target_ms = 1000 * (uint64_t)MAX(all->target_s, 1U), peak = 0;
	struct segment_rate rate;
	uint64_t bits = 0, ms = 0;

	for (size_t i = 0; i < all->n; i++) {
		bits += bits_of(&all->list[i]);
		ms += all->list[i].duration_ms;
	}
	rate.average_bps = bits / MAX(ms, (uint64_t)1) + 1;
	for (size_t i = 0; i < all->n; i++) {
		bits = ms = 0;
		for (size_t k = i; k < all->n && 2 * ms < 3 * target_ms; k++) {
			bits += bits_of(&all->list[k]);
			ms += all->list[k].duration_ms;
			if (2 * ms >= target_ms && 2 * ms <= 3 * target_ms)
				peak = MAX(peak, bits / ms + 1);
		}
	}
	rate.peak_bps = MAX(peak, rate.average_bps);
	return rate;
}
