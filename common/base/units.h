/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spans of time in nanoseconds, the unit of mono_ns(). */
#pragma once

#include <stdint.h>
#include <time.h>

#define MS UINT64_C(1000000)
#define SECOND_NS (1000 * MS)

static inline uint64_t timespec_ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * SECOND_NS + (uint64_t)t->tv_nsec;
}
