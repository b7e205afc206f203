/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/demand.h"

#include "common/base/util.h"

bool demand_is_wanted(const struct demand *d)
{
	return d->state != DEMAND_WAITING;
}

/* The last viewer and reader have left: the stream continues for keep_s
 * seconds, but at least for least_ms. */
static void leave(struct demand *d, uint64_t least_ms, uint64_t now_ms)
{
	uint64_t keep_ms = MAX((uint64_t)d->keep_s * 1000, least_ms);

	d->end_ms = keep_ms > 0 ? now_ms + keep_ms : 0;
	d->state = keep_ms > 0 ? DEMAND_LINGERING : DEMAND_WAITING;
}

static void judge(struct demand *d, uint64_t least_ms, uint64_t now_ms)
{
	if (d->keep_s < 0) {
		d->state = DEMAND_ALWAYS;
		d->end_ms = 0;
	} else if (d->viewers > 0 || d->read) {
		d->state = DEMAND_ACTIVE;
		d->end_ms = 0;
	} else if (d->state == DEMAND_ACTIVE || d->state == DEMAND_ALWAYS) {
		leave(d, least_ms, now_ms);
	} else if (d->state == DEMAND_LINGERING && now_ms >= d->end_ms) {
		d->state = DEMAND_WAITING;
		d->end_ms = 0;
	}
}

void demand_set(struct demand *d, int keep_s, bool running, uint64_t now_ms)
{
	bool shorter = keep_s < d->keep_s;

	d->keep_s = keep_s;
	if (d->state == DEMAND_ALWAYS && !running && keep_s >= 0)
		d->state = DEMAND_WAITING;
	/* a shorter keep_s also shortens a DEMAND_LINGERING that has begun */
	if (d->state == DEMAND_LINGERING && shorter && keep_s >= 0)
		d->end_ms = MIN(d->end_ms,
				now_ms + MAX((uint64_t)keep_s * 1000,
					     (uint64_t)DEMAND_GRACE_MS));
	judge(d, DEMAND_GRACE_MS, now_ms);
}

void demand_viewers(struct demand *d, unsigned n, uint64_t now_ms)
{
	d->viewers = n;
	judge(d, 0, now_ms);
}

void demand_lost(struct demand *d, unsigned left, uint64_t now_ms)
{
	d->viewers = left;
	judge(d, DEMAND_GRACE_MS, now_ms);
}

void demand_read(struct demand *d, bool read, uint64_t now_ms)
{
	d->read = read;
	judge(d, 0, now_ms);
}

void demand_pass(struct demand *d, uint64_t now_ms)
{
	judge(d, 0, now_ms);
}
