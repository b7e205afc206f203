/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/portion.h"

#include "common/base/util.h"

void portion_reset(struct portion *b, uint64_t end, uint64_t now_ms)
{
	b->pos = end;
	b->at_ms = now_ms;
}

/* The shortest time between two portions.  A portion that is complete earlier
 * waits, because two portions in one call cost less than in two. */
static unsigned least_ms(const struct portion *b)
{
	return b->hold_ms / 2;
}

bool portion_advance(struct portion *b, uint64_t end, uint64_t now_ms)
{
	uint64_t waiting = end - b->pos, age_ms = now_ms - b->at_ms;

	if (waiting == 0 || age_ms < least_ms(b) ||
	    (waiting < PORTION_SIZE && age_ms < b->hold_ms))
		return false;
	if (waiting >= PORTION_SIZE) {
		waiting -= waiting % PORTION_SIZE;
		/* the next portion begins with a page */
		waiting -= (b->pos + waiting) % PORTION_PAGE;
	}
	portion_reset(b, b->pos + waiting, now_ms);
	return true;
}

unsigned portion_wait_ms(const struct portion *b, uint64_t end, uint64_t rate,
		       uint64_t now_ms)
{
	uint64_t waiting = end - b->pos, age_ms = now_ms - b->at_ms;
	uint64_t hold_ms = b->hold_ms, fill_ms = 0;

	/* bytes that already wait are due hold_ms after the last portion, bytes
	 * that arrive now hold_ms from now */
	if (waiting > 0)
		hold_ms -= MIN(age_ms, hold_ms);
	if (waiting < PORTION_SIZE && rate == 0)
		return (unsigned)hold_ms;
	if (waiting < PORTION_SIZE)
		fill_ms = (PORTION_SIZE - waiting) * 1000 / rate + 1;
	if (age_ms < least_ms(b))
		fill_ms = MAX(fill_ms, least_ms(b) - age_ms);
	return (unsigned)MIN(fill_ms, hold_ms);
}
