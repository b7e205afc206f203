/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cores that scramble many payloads at once with one control word, by the DVB
 * Common Scrambling Algorithm.
 *
 * A core cuts the payloads into slices: a word of a vector register holds one
 * bit of the stream cipher of every payload, or one byte of the block cipher.
 * So a call costs nearly the same for one payload and for a full batch.
 */
#pragma once

#include "worker/csa/schedule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A payload of at most 184 bytes.  One below 8 bytes stays in the clear. */
struct csa_payload {
	uint8_t *data; /* borrowed */
	size_t len;
};

/* Changes n payloads in place, n at most the lanes of the core. */
typedef void csa_core_fn(const struct csa_schedule *,
			 const struct csa_payload *, size_t n);

struct csa_core {
	const char *name;
	size_t lanes;
	size_t break_even; /* payloads from which on a call pays */
	bool (*usable)(void); /* with this processor */
	csa_core_fn *scramble, *descramble;
};

/* The i-th core of this build that this processor can run, the fastest first;
 * NULL: there are no more. */
const struct csa_core *csa_core(size_t i);

/* True if a full batch of the core gives the bytes of libdvbcsa, in both
 * directions, with another payload and length in each lane.  Takes a few
 * milliseconds. */
bool csa_core_agrees(const struct csa_core *);
