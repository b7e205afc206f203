/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last packets of a source that have a PCR: whether two sources send the
 * same packets at the same time, as one multicast does on two paths.
 *
 * Embedded, pure; zeroed memory is empty.
 */
#pragma once

#include "worker/ts/packet.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	PCR_TRAIL_LEN = 8,
	/* So many equal packets in a row prove it: each has a PCR of 27 MHz, a
	 * counter, and bytes of a picture or sound. */
	PCR_TRAIL_SURE = 4,
	/* One source may be so many PCRs behind, 80 to 160 ms. */
	PCR_TRAIL_LAG = 4,
};

struct pcr_trail {
	uint64_t hashes[PCR_TRAIL_LEN]; /* a ring */
	unsigned n; /* packets so far */
};

/* Takes the next packet with a PCR.  Three words of it are read. */
static inline void pcr_trail_add(struct pcr_trail *t, const uint8_t *packet)
{
	uint64_t hash = 0, word;

	for (size_t at = 4; at < TS_PACKET; at += 88) {
		memcpy(&word, packet + at, sizeof word);
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	hash ^= (uint64_t)packet[3] << 32;
	t->hashes[t->n++ % PCR_TRAIL_LEN] = hash;
}

/* The packet `back` before the last one. */
static inline uint64_t pcr_trail_get(const struct pcr_trail *t, unsigned back)
{
	return t->hashes[(t->n - 1 - back) % PCR_TRAIL_LEN];
}

static inline bool pcr_trail_is_behind(const struct pcr_trail *a,
				       const struct pcr_trail *b, unsigned lag)
{
	unsigned need = PCR_TRAIL_SURE + lag;

	if (a->n < need || b->n < need)
		return false;
	for (unsigned i = 0; i < PCR_TRAIL_SURE; i++)
		if (pcr_trail_get(a, i) != pcr_trail_get(b, i + lag))
			return false;
	return true;
}

/* Do both sources send the same? */
static inline bool pcr_trail_is_same(const struct pcr_trail *a,
				     const struct pcr_trail *b)
{
	for (unsigned lag = 0; lag <= PCR_TRAIL_LAG; lag++)
		if (pcr_trail_is_behind(a, b, lag) ||
		    pcr_trail_is_behind(b, a, lag))
			return true;
	return false;
}
