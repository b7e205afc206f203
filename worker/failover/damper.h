/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Damps an input that fails repeatedly, as routers damp a route that flaps
 * (RFC 2439): each failure adds a penalty, which is halved in each half-life.
 * Above DAMPER_SUPPRESS the input is damped, until the penalty is down to
 * DAMPER_REUSE.  The penalty has a ceiling, so that no input is damped for
 * longer than two half-lives after its last failure.
 *
 * Embedded, pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	DAMPER_FAILURE = 1000, /* penalty of a failure */
	DAMPER_SUPPRESS = 2500,
	DAMPER_REUSE = 1000,
	DAMPER_CEILING = 4000,
};

struct damper {
	uint64_t half_life_ns; /* half-life of the penalty; 0: never damps */
	uint64_t penalty;      /* the penalty at the time at_ns */
	uint64_t at_ns;
	bool damped;           /* result of the last damper_is_damped() */
};

void damper_init(struct damper *, uint64_t half_life_ns, uint64_t now_ns);

void damper_failed(struct damper *, uint64_t now_ns);

/* The penalty now. */
unsigned damper_penalty(const struct damper *, uint64_t now_ns);

bool damper_is_damped(struct damper *, uint64_t now_ns);

/* The time at which damping ends if the input does not fail again; UINT64_MAX:
 * it is not damped. */
uint64_t damper_reuse_ns(struct damper *, uint64_t now_ns);
