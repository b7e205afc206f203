/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The PIDs and program numbers that an input of a multiplex may use.
 *
 * Each input has a block of both.  A number of the source has its own place in
 * the block, so that it does not depend on other inputs or on the order in
 * which tables arrive: the first free one from base + number % count on.
 */
#pragma once

#include "worker/ts/packet.h"

#include <stdbool.h>
#include <stdint.h>

enum { PLACE_NUMBERS = 65536 };

struct remux_place {
	uint16_t base, count; /* count 0: no block */
	/* PIDs and numbers of the source stay, unless they are taken */
	bool keep;
	/* bit sets of what belongs to other inputs */
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

/* The i-th number to try in the block for a number of the source. */
static inline uint16_t place_at(const struct remux_place *p, uint16_t number,
				uint16_t i)
{
	return (uint16_t)(p->base + (number % p->count + i) % p->count);
}
