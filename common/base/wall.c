/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/wall.h"

#include "common/base/units.h"

uint64_t wall_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return timespec_ns(&now);
}

uint64_t wall_ms(void)
{
	return wall_ns() / MS;
}
