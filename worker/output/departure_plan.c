/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/departure_plan.h"

#include "common/base/units.h"
#include "common/base/util.h"

#include <stdbool.h>

#define LEAD_NS (DEPARTURE_LEAD_MS * MS)
#define WINDOW_NS (1000 * MS)
/* A longer pause starts a new measurement of the rate. */
#define PAUSE_NS (500 * MS)

enum {
	STEER = 8,  /* a lead that is off by its length changes the spacing
		     * by 1 / STEER */
	WEIGHT = 3, /* of the past against the last second */
};

void departure_plan_init(struct departure_plan *p, unsigned limit)
{
	*p = (struct departure_plan){ .limit = limit };
}

static void begin_window(struct departure_plan *p, uint64_t now_ns)
{
	p->window_ns = now_ns;
	p->counted = 0;
}

static void count(struct departure_plan *p, uint64_t now_ns)
{
	uint64_t elapsed = now_ns - p->window_ns, each;

	if (p->window_ns == 0 || now_ns > p->last_ns + PAUSE_NS) {
		p->each_ns = 0;
		begin_window(p, now_ns);
	} else if (elapsed >= WINDOW_NS) {
		each = elapsed / p->counted;
		p->each_ns = p->each_ns == 0
				     ? each
				     : (p->each_ns * WEIGHT + each) /
					       (WEIGHT + 1);
		begin_window(p, now_ns);
	}
	p->counted++;
}

static bool fits(const struct departure_plan *p)
{
	return p->each_ns > 0 &&
	       DEPARTURE_SPARE * LEAD_NS / p->each_ns < p->limit;
}

/* A lead beyond twice the normal one is reduced as fast as necessary. */
static uint64_t spacing(const struct departure_plan *p, uint64_t lead_ns)
{
	int64_t off = (int64_t)LEAD_NS - (int64_t)lead_ns;

	if (lead_ns > 2 * LEAD_NS)
		return p->each_ns * LEAD_NS / lead_ns;
	return (uint64_t)((int64_t)p->each_ns +
			  (int64_t)p->each_ns * off /
				  (STEER * (int64_t)LEAD_NS));
}

uint64_t departure_plan_next(struct departure_plan *p, uint64_t now_ns)
{
	count(p, now_ns);
	/* a release starts half a lead ahead: the mean is then a full lead */
	if (p->last_ns < now_ns)
		p->last_ns = now_ns + (fits(p) ? LEAD_NS / 2 : 0);
	else if (fits(p))
		p->last_ns += spacing(p, p->last_ns - now_ns);
	return p->last_ns;
}
