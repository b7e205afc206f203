/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rejects heartbeats that come more often than once a second.
 *
 * Embedded, pure.  Heartbeats that were sent in time and are read late, because
 * the loop of the master was blocked, are accepted in any number.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	PACE_BEAT_MS = 900, /* a second with tolerance */
	PACE_AHEAD_MS = 5000, /* so far may heartbeats be ahead of the clock */
	PACE_BEHIND_MS = 300000, /* so much may wait in the channel */
};

struct pace {
	uint64_t beats_ms; /* monotonic: the heartbeats reach so far */
};

void pace_start(struct pace *, uint64_t now_ms);

/* Counts a heartbeat.  False when it came too early. */
bool pace_beat(struct pace *, uint64_t now_ms) MUST_CHECK;
