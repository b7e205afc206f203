/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cores that scramble or descramble many payloads at once with one control
 * word, by the DVB Common Scrambling Algorithm.
 *
 * A core cuts the payloads into slices.  For the stream cipher, a vector
 * register holds one bit of every payload; for the block cipher, it holds one
 * byte of many payloads.  So a call takes nearly the same time for one payload
 * and for a full batch.
 */
#pragma once

#include "worker/csa/schedule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A payload of 8 to 184 bytes.  csa_add() leaves a shorter one in the clear. */
struct csa_payload {
	uint8_t *data; /* borrowed */
	size_t len;
};

/* Changes n payloads in place; n is at most csa_core.lanes. */
typedef void csa_core_fn(const struct csa_schedule *,
			 const struct csa_payload *, size_t n);

struct csa_core {
	const char *name;
	size_t lanes;
	size_t break_even; /* smallest number of payloads for which a call is
			    * faster than the single cipher of libdvbcsa */
	bool (*usable)(void); /* can this processor run the core? */
	csa_core_fn *scramble, *descramble;
};

/* The i-th core of this build that this processor can run, in order of speed;
 * NULL: there are no more. */
const struct csa_core *csa_core(size_t i);

/* True if the core and libdvbcsa give the same bytes, in both directions, for a
 * full batch with a different payload and length in each lane.  Takes a few
 * milliseconds. */
bool csa_core_agrees(const struct csa_core *);
