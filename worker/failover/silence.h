/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Detects that a source is silent: within a fraction of a second if its packets
 * are frequent, and later if the source pauses regularly.  Detects as well that
 * packets were lost in a pause that was too short for silence.
 *
 * A pause is regular only if the continuity counters go on behind it (ISO/IEC
 * 13818-1 2.4.3.3).  A pause with a gap is a hole and does not delay the
 * detection: an input that flaps is detected as fast as any other.  Pauses that
 * are too short for a hole are one if several of them lost packets.
 *
 * Embedded, pure; zeroed memory is a source without packets yet.
 */
#pragma once

#include "common/base/units.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	SILENCE_LEAST_MS = 200,
	SILENCE_MOST_MS = 1000, /* a longer pause is not regular */
	/* Silence is this multiple of the longest regular pause. */
	SILENCE_FACTOR = 3,
	/* Time constant with which regular pauses decay. */
	SILENCE_FORGET_MS = 2000,
	/* After a pause the PIDs arrive one by one: a gap within this time
	 * belongs to the pause. */
	SILENCE_DOUBT_MS = 100,
	/* A hole is at least so long, and longer than two regular pauses: a
	 * single lost datagram of a slow stream is not a hole. */
	SILENCE_HOLE_MS = 35,
	/* Shorter pauses, but longer than the regular ones, are holes if so
	 * many of them, with a gap each, fall into one second. */
	SILENCE_SHORT_HOLES = 3,
};

/* The time between two reads with packets. */
struct silence_pause {
	uint64_t ns;
	/* The part of it up to the last read without packets: the source was
	 * certainly quiet for so long. */
	uint64_t quiet_ns;
};

struct silence {
	uint64_t last_ns; /* time of the last packets; 0: none yet */
	struct silence_pause regular; /* the longest recent pauses */
	/* A longer pause whose counters may still show a gap; 0: none. */
	struct silence_pause doubt;
	uint64_t doubt_at_ns; /* the end of that pause */
	/* Times of the last pauses with a gap, newest first; 0: none. */
	uint64_t gaps_ns[SILENCE_SHORT_HOLES];
	bool tolerant; /* short pauses are never holes */
};

static inline uint64_t silence_decayed(uint64_t ns, uint64_t pause_ns)
{
	const uint64_t forget = SILENCE_FORGET_MS * MS;

	return ns - ns / 65536 * (MIN(pause_ns, forget) * 65536 / forget);
}

/* A pause ended. */
static inline void silence_paused(struct silence *s, struct silence_pause p,
				  uint64_t now_ns)
{
	struct silence_pause *r = &s->regular, *d = &s->doubt;

	r->ns = silence_decayed(r->ns, p.ns);
	r->quiet_ns = silence_decayed(r->quiet_ns, p.ns);
	if (d->ns != 0 && (p.ns >= d->ns || now_ns - s->doubt_at_ns >=
						    SILENCE_DOUBT_MS * MS)) {
		/* no gap: the pause is regular */
		if (d->ns <= SILENCE_MOST_MS * MS) {
			r->ns = MAX(r->ns, d->ns);
			r->quiet_ns = MAX(r->quiet_ns, d->quiet_ns);
		}
		d->ns = 0;
	}
	if (d->ns != 0 || (p.ns <= r->ns && p.quiet_ns <= r->quiet_ns))
		return;
	*d = p;
	s->doubt_at_ns = now_ns;
}

/* Packets were lost in the pause of `doubt'.  Is that too frequent? */
static inline bool silence_lost(struct silence *s, uint64_t now_ns)
{
	uint64_t *at = s->gaps_ns;

	if (s->doubt.quiet_ns == 0 ||
	    s->doubt.quiet_ns < s->regular.quiet_ns * 3 / 2)
		return false;
	for (unsigned i = SILENCE_SHORT_HOLES - 1; i > 0; i--)
		at[i] = at[i - 1];
	at[0] = now_ns;
	return !s->tolerant && at[SILENCE_SHORT_HOLES - 1] != 0 &&
	       now_ns - at[SILENCE_SHORT_HOLES - 1] <= 1000 * MS;
}

/*
 * Packets arrived.  empty_ns: time of the last read without packets.  gap: a
 * continuity counter of these packets does not continue.  True: packets were
 * lost in a pause.
 */
static inline bool silence_feed(struct silence *s, uint64_t empty_ns, bool gap,
				uint64_t now_ns)
{
	struct silence_pause pause = { .ns = now_ns - s->last_ns };
	bool hole, often;

	if (s->last_ns == 0)
		/* the pauses of the source are unknown */
		s->regular.ns = SILENCE_MOST_MS * MS / SILENCE_FACTOR;
	else if (pause.ns > 0) {
		if (empty_ns > s->last_ns)
			pause.quiet_ns = empty_ns - s->last_ns;
		silence_paused(s, pause, now_ns);
	}
	s->last_ns = now_ns;
	if (!gap || s->doubt.ns == 0)
		return false;
	hole = s->doubt.quiet_ns >= MAX(s->regular.quiet_ns * 5 / 2,
					SILENCE_HOLE_MS * MS);
	often = silence_lost(s, now_ns);
	s->doubt.ns = 0;
	return hole || often;
}

/* When it becomes silent unless packets arrive; UINT64_MAX: no packets yet. */
static inline uint64_t silence_ns(const struct silence *s)
{
	uint64_t pause = s->regular.ns;

	if (s->last_ns == 0)
		return UINT64_MAX;
	if (s->doubt.ns <= SILENCE_MOST_MS * MS)
		pause = MAX(pause, s->doubt.ns);
	return s->last_ns + MIN(MAX(SILENCE_FACTOR * pause,
				    SILENCE_LEAST_MS * MS),
				SILENCE_MOST_MS * MS);
}
