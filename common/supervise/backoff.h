/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long a worker waits before it is started again.
 *
 * The first unwanted end costs nothing, the next 1, 2, 4 … 60 seconds, each
 * 20 % more or less so that many do not come back together.  A healthy minute
 * forgives everything.  From the fifth end in a row on the worker is in
 * quarantine: one try a minute.  Pure: the caller brings the clock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	BACKOFF_FIRST_MS = 1000,
	BACKOFF_MAX_MS = 60000,
	BACKOFF_HEALTHY_MS = 60000,
	BACKOFF_QUARANTINE = 5, /* unwanted ends in a row */
	BACKOFF_SPACING_MS = 1000, /* between two starts of one worker */
};

/* Embedded; zeroed memory is ready. */
struct backoff {
	uint32_t seed; /* of the jitter; any value */
	unsigned ends; /* unwanted, without a healthy minute since */
	uint64_t started_ms;
	uint64_t ready_ms; /* 0: not ready since it was started */
};

void backoff_started(struct backoff *, uint64_t now_ms);
void backoff_ready(struct backoff *, uint64_t now_ms);

/* The worker lives: forgives when it has been ready for long enough. */
void backoff_alive(struct backoff *, uint64_t now_ms);

/* It ended without being asked to; how long to wait, in ms. */
unsigned backoff_ended(struct backoff *, uint64_t now_ms);

/* Forgets all failures (somebody changed something). */
void backoff_reset(struct backoff *);

bool backoff_is_quarantine(const struct backoff *);
