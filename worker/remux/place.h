/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The PIDs and program numbers that an input of a multiplex may use.
 *
 * Each input has one block of numbers, for its PIDs and for its program
 * numbers.  A number of the source gets the first free number of the block from
 * base + number % count on.  So the result does not depend on other inputs, and
 * hardly on the order in which tables arrive.
 */
#pragma once

#include "worker/ts/packet.h"

#include <stdbool.h>
#include <stdint.h>

enum { PLACE_NUMBERS = 65536 };

struct remux_place {
	uint16_t base, count; /* the block: `count' numbers from `base' on;
			       * count 0: no block */
	/* PIDs and program numbers of the source stay if they are free */
	bool keep;
	/* bit sets of the PIDs and program numbers that belong to other
	 * inputs */
	uint64_t pids[TS_PIDS / 64];
	uint64_t numbers[PLACE_NUMBERS / 64];
};

static inline bool place_has(const uint64_t *set, uint16_t n)
{
	return set[n >> 6] >> (n & 63) & 1;
}

static inline void place_take(uint64_t *set, uint16_t n)
{
	set[n >> 6] |= UINT64_C(1) << (n & 63);
}

/* The number of the block that is tried for a number of the source after i
 * others. */
static inline uint16_t place_at(const struct remux_place *p, uint16_t number,
				uint16_t i)
{
	return (uint16_t)(p->base + (number % p->count + i) % p->count);
}
