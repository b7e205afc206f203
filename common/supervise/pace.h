/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Holds a worker to its word that a beat stands for a second.
 *
 * Embedded, pure.  What was said in time and is read late, because our own
 * loop was blocked or stopped, is no offence, however much it is.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	PACE_BEAT_MS = 900,      /* a second, generously */
	PACE_AHEAD_MS = 5000,    /* how far ahead of the clock it may be */
	PACE_BEHIND_MS = 300000, /* what may wait in its channel */
};

struct pace {
	uint64_t told_ms; /* monotonic: up to here it has spoken */
};

void pace_start(struct pace *, uint64_t now_ms);

/* A beat came.  False when it cannot stand for a second of its own. */
bool pace_beat(struct pace *, uint64_t now_ms) MUST_CHECK;
