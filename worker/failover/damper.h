/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Remembers how often something failed lately, as routers do for a route that
 * flaps (RFC 2439): each failure adds a penalty, half of which is forgotten in
 * each half-life.  Beyond DAMPER_SUPPRESS it is damped, until the penalty is
 * down to DAMPER_REUSE.  The penalty has a ceiling, so that nothing is damped
 * for longer than two half-lives after its last failure.
 *
 * Embedded, pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	DAMPER_FAILURE = 1000,
	DAMPER_SUPPRESS = 2500,
	DAMPER_REUSE = 1000,
	DAMPER_CEILING = 4000,
};

struct damper {
	uint64_t half_life_ns; /* 0: never damped */
	uint64_t penalty;      /* at at_ns */
	uint64_t at_ns;
	bool damped;           /* when it was last looked at */
};

void damper_init(struct damper *, uint64_t half_life_ns, uint64_t now_ns);

void damper_failed(struct damper *, uint64_t now_ns);

/* What is left of the penalties. */
unsigned damper_penalty(const struct damper *, uint64_t now_ns);

bool damper_is_damped(struct damper *, uint64_t now_ns);

/* When it will be damped no more, if it does not fail again; UINT64_MAX when
 * it is not damped. */
uint64_t damper_reuse_ns(struct damper *, uint64_t now_ns);
