/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/failover/damper.h"

#include "common/base/units.h"
#include "common/base/util.h"

/* After this many half-lives the penalty is 0. */
enum { HALVINGS_MAX = 32 };

void damper_init(struct damper *d, uint64_t half_life_ns, uint64_t now_ns)
{
	*d = (struct damper){ .half_life_ns = half_life_ns, .at_ns = now_ns };
}

/* The penalty is halved in each half-life.  In between it falls on a straight
 * line, which is a few percent above the exponential. */
unsigned damper_penalty(const struct damper *d, uint64_t now_ns)
{
	if (d->half_life_ns == 0 || now_ns < d->at_ns)
		return (unsigned)d->penalty;

	uint64_t passed = now_ns - d->at_ns;
	uint64_t halvings = passed / d->half_life_ns;

	if (halvings >= HALVINGS_MAX)
		return 0;

	uint64_t penalty = d->penalty >> halvings;
	uint64_t rest_ms = passed % d->half_life_ns / MS;
	uint64_t half_ms = MAX(d->half_life_ns / MS, UINT64_C(1));

	return (unsigned)(penalty - penalty * rest_ms / (2 * half_ms));
}

void damper_failed(struct damper *d, uint64_t now_ns)
{
	if (d->half_life_ns == 0)
		return;
	/* ends damping if the penalty has decayed */
	(void)damper_is_damped(d, now_ns);
	d->penalty = MIN(damper_penalty(d, now_ns) + DAMPER_FAILURE,
			 (unsigned)DAMPER_CEILING);
	d->at_ns = now_ns;
	(void)damper_is_damped(d, now_ns);
}

bool damper_is_damped(struct damper *d, uint64_t now_ns)
{
	unsigned penalty = damper_penalty(d, now_ns);

	if (penalty > DAMPER_SUPPRESS)
		d->damped = true;
	else if (penalty <= DAMPER_REUSE)
		d->damped = false;
	return d->damped;
}

uint64_t damper_reuse_ns(struct damper *d, uint64_t now_ns)
{
	uint64_t low = now_ns;
	uint64_t high = now_ns + 3 * d->half_life_ns;

	if (!damper_is_damped(d, now_ns))
		return UINT64_MAX;
	/* the penalty only falls: a binary search finds when it is low */
	while (high - low > MS) {
		uint64_t middle = low + (high - low) / 2;

		if (damper_penalty(d, middle) <= DAMPER_REUSE)
			high = middle;
		else
			low = middle;
	}
	return high;
}
