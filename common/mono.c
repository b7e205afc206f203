/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/mono.h"

#include <time.h>

uint64_t mono_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t mono_ms(void)
{
	return mono_ns() / 1000000u;
}
