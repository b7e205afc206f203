/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/unit_time.h"

#include "common/base/util.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

enum {
	STEP_MAX = 10 * 90000, /* a longer step is a jump, not a slow video */
};

void unit_time_begin(struct unit_time *t, uint64_t at, bool has_unit)
{
	t->at = t->clock = at;
	t->first = at == 0 && !has_unit;
}

/* The time since the last unit, by DTS, or by PCR if the DTS is unknown or
 * jumps; 0: unknown. */
static uint64_t step_of(const struct unit_time *t, const uint64_t *dts,
			uint64_t clock)
{
	int64_t diff;

	if (dts == NULL || !t->has_dts)
		return clock > t->clock ? clock - t->clock : 0;
	diff = wrap_diff(*dts, t->dts, PES_TIME_WRAP);
	if (diff >= 0 && diff <= STEP_MAX)
		return (uint64_t)diff;
	return clock > t->clock ? clock - t->clock : 0;
}

void unit_time_next(struct unit_time *t, const uint64_t *dts, uint64_t clock)
{
	uint64_t step = step_of(t, dts, clock);

	if (!t->first)
		t->at += step;
	t->first = false;
	/* a step from a unit with a DTS to one without, or the reverse, is not
	 * the length of a unit */
	if (step > 0 && t->has_dts == (dts != NULL)) {
		t->before = t->step > 0 ? t->step : step;
		t->step = step;
	}
	t->clock = clock;
	t->has_dts = dts != NULL;
	if (dts != NULL)
		t->dts = *dts;
}

uint64_t unit_time_shortest(const struct unit_time *t)
{
	return MIN(t->step, t->before);
}

uint64_t unit_time_longest(const struct unit_time *t)
{
	uint64_t least = unit_time_shortest(t), most = MAX(t->step, t->before);

	/* a step of more than twice the other one is a gap between units */
	return most <= 2 * least ? most : least;
}
