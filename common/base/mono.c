/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/mono.h"

#include "common/base/units.h"

uint64_t mono_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return timespec_ns(&now);
}

uint64_t mono_cost_ns(void)
{
	struct timespec used;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return timespec_ns(&used);
}

uint64_t mono_ms(void)
{
	return mono_ns() / MS;
}
