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
	WEIGHT = 3, /* weight of the past against the last second */
};

void departure_plan_init(struct departure_plan *p, unsigned limit)
{
	*p = (struct departure_plan){ .limit = limit };
}

static void count(struct departure_plan *p, uint64_t now_ns)
{
	uint64_t elapsed = now_ns - p->window_ns, each;
	bool begins = p->window_ns == 0 || now_ns > p->last_ns + PAUSE_NS;

	if (begins) {
		p->each_ns = 0;
	} else if (elapsed >= WINDOW_NS) {
		each = elapsed / p->counted;
		p->each_ns = p->each_ns == 0
				     ? each
				     : (p->each_ns * WEIGHT + each) /
					       (WEIGHT + 1);
	}
	if (begins || elapsed >= WINDOW_NS) {
		p->window_ns = now_ns;
		p->counted = 0;
	}
	p->counted++;
}

uint64_t departure_plan_next(struct departure_plan *p, uint64_t now_ns)
{
	int64_t each, lead, off;
	bool fits;

	count(p, now_ns);
	each = (int64_t)p->each_ns;
	lead = (int64_t)(p->last_ns - now_ns);
	off = (int64_t)LEAD_NS - lead;
	fits = each > 0 && DEPARTURE_SPARE * LEAD_NS / p->each_ns < p->limit;
	/* a release starts half a lead ahead: the mean is then a full lead */
	if (p->last_ns < now_ns)
		p->last_ns = now_ns + (fits ? LEAD_NS / 2 : 0);
	/* a lead beyond twice the normal one is reduced as fast as
	 * necessary */
	else if (fits && lead > 2 * (int64_t)LEAD_NS)
		p->last_ns += p->each_ns * LEAD_NS / (uint64_t)lead;
	else if (fits)
		p->last_ns += (uint64_t)(each + each * off /
					 (STEER * (int64_t)LEAD_NS));
	return p->last_ns;
}
