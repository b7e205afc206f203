/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Detects that a source is silent: within a fraction of a second if its packets
 * are frequent, and later if the source pauses regularly.
 *
 * Embedded, pure; zeroed memory is a source without packets yet.
 */
#pragma once

#include "common/base/units.h"
#include "common/base/util.h"

#include <stdint.h>

enum {
	SILENCE_LEAST_MS = 200,
	SILENCE_MOST_MS = 1000, /* a longer pause is not regular */
	/* Silence is this multiple of the longest regular pause. */
	SILENCE_FACTOR = 3,
	/* Time constant with which pause_ns decays. */
	SILENCE_FORGET_MS = 2000,
};

struct silence {
	uint64_t last_ns;  /* time of the last packets; 0: none yet */
	uint64_t pause_ns; /* longest recent pause between packets */
};

/* Packets arrived. */
static inline void silence_feed(struct silence *s, uint64_t now_ns)
{
	uint64_t pause = now_ns - s->last_ns;
	const uint64_t forget = SILENCE_FORGET_MS * MS;

	if (s->last_ns == 0 || pause > SILENCE_MOST_MS * MS) {
		/* the pauses of the source are unknown, or may have changed */
		s->pause_ns = SILENCE_MOST_MS * MS / SILENCE_FACTOR;
	} else {
		s->pause_ns -= s->pause_ns / 65536 * (pause * 65536 / forget);
		s->pause_ns = MAX(s->pause_ns, pause);
	}
	s->last_ns = now_ns;
}

/* When it becomes silent unless packets arrive; UINT64_MAX: no packets yet. */
static inline uint64_t silence_ns(const struct silence *s)
{
	uint64_t patience = MAX(SILENCE_FACTOR * s->pause_ns,
				SILENCE_LEAST_MS * MS);

	if (s->last_ns == 0)
		return UINT64_MAX;
	return s->last_ns + MIN(patience, SILENCE_MOST_MS * MS);
}
