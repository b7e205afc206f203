/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Detects that a source is silent: within a fraction of a second if its packets
 * are frequent, and later if the source pauses regularly.  Detects as well that
 * packets were lost in a pause that was too short for silence.
 *
 * A pause is regular only if the continuity counters continue behind it
 * (ISO/IEC 13818-1 2.4.3.3).  A pause with a gap is a hole and does not delay
 * the detection: an input that flaps is detected as fast as any other.
 *
 * Several pauses that are too short for a hole are a hole if each of them lost
 * packets and they are apart from each other (SILENCE_APART_MS).  A pause
 * between two reads is hidden if both reads have packets: then the packets that
 * they lack, at the rate of the source, show its length.
 *
 * Embedded, pure; zeroed memory is a source without packets yet.
 */
#pragma once

#include "common/base/units.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	SILENCE_LEAST_MS = 200, /* silence is never detected earlier */
	/* silence is never detected later; a longer pause is not regular */
	SILENCE_MOST_MS = 1000,
	/* Silence is this multiple of the longest regular pause. */
	SILENCE_FACTOR = 3,
	/* Time constant with which regular pauses decay. */
	SILENCE_FORGET_MS = 2000,
	/* After a pause the PIDs arrive one by one: a gap within this time
	 * belongs to the pause. */
	SILENCE_DOUBT_MS = 100,
	/* A hole is at least this long, and longer than two regular pauses: a
	 * single lost datagram of a slow stream is not a hole. */
	SILENCE_HOLE_MS = 35,
	/* Shorter pauses, but longer than the regular ones, are a hole if this
	 * many of them, with a gap each, fall into one second.  A loss counts
	 * twice if the packets of SILENCE_MIDDLE_MS and two regular pauses are
	 * missing. */
	SILENCE_SHORT_HOLES = 3,
	SILENCE_MIDDLE_MS = 20,
	/* Gaps that follow faster are one loss: a single burst of losses, of
	 * twice this time, is not a failure. */
	SILENCE_APART_MS = 150,
	/* Two reads hide a pause if at least this time and this many packets
	 * are missing in them: more than the packets of one datagram. */
	SILENCE_MISSING_MS = 5,
	SILENCE_MISSING_PACKETS = 12,
	/* If the read before a packet is longer ago than this, it is unknown
	 * whether the source paused. */
	SILENCE_LATE_MS = 30,
};

/* The packets of one read. */
struct silence_read {
	uint64_t empty_ns; /* time of the last read without packets */
	/* packets; always 0 if the stream has no other input, because holes do
	 * not matter then */
	size_t n;
	/* a continuity counter of these packets, or of packets of the same time
	 * before them, does not continue, or one of them is damaged
	 * (transport_error_indicator) */
	bool gap;
	/* time of the last packet in front of the gap, the latest if there are
	 * several: the loss is later; 0: unknown */
	uint64_t before_ns;
};

/* The time between two reads with packets. */
struct silence_pause {
	uint64_t ns;
	/* The part of the pause up to the last read without packets: the source
	 * was certainly quiet for this time. */
	uint64_t quiet_ns;
};

struct silence {
	uint64_t last_ns; /* time of the last packets; 0: none yet */
	struct silence_pause regular; /* the longest recent regular pause */
	/* A longer pause whose counters may still show a gap; 0: none. */
	struct silence_pause doubt;
	uint64_t doubt_at_ns; /* time at which the pause `doubt' ended */
	/* Times of the last pauses with a gap, newest first; 0: none. */
	uint64_t gaps_ns[SILENCE_SHORT_HOLES];
	bool tolerant; /* short pauses are never holes */
	/* The last two reads with packets: the begin of the time in which their
	 * packets arrived, and their number. */
	struct silence_count {
		uint64_t from_ns;
		uint64_t n;
	} reads[2];
	/* The time and the packets of about the last second, for the rate. */
	uint64_t span_ns, span_n;
	/* The time that seems to be missing in two reads although no packet is
	 * lost: the source sends in bursts, or its rate falls. */
	struct silence_usual {
		uint64_t ns; /* the longest such time; decays */
		/* such times of the last two reads, newest first: not in `ns'
		 * yet, because a gap may still follow */
		uint64_t unsure_ns[2];
		bool was_gap; /* the previous read had a gap */
	} usual;
};

static inline uint64_t silence_decayed(uint64_t ns, uint64_t pause_ns)
{
	const uint64_t forget = SILENCE_FORGET_MS * MS;

	return ns - ns / 65536 * (MIN(pause_ns, forget) * 65536 / forget);
}

/* Takes a pause between two reads that has ended at now_ns.  If no gap follows
 * soon, it counts as regular. */
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

/* Counts the packets of a read. */
static inline void silence_count(struct silence *s,
				 const struct silence_read *r, uint64_t now_ns)
{
	uint64_t pause_ns = now_ns - s->last_ns;

	if (s->last_ns == 0 || pause_ns > SECOND_NS) {
		s->span_ns = s->span_n = 0;
		s->reads[0] = s->reads[1] =
			(struct silence_count){ .from_ns = now_ns };
	} else if (pause_ns > 0) {
		s->reads[1] = s->reads[0];
		s->reads[0] = (struct silence_count){
			.from_ns = MAX(s->last_ns, r->empty_ns),
		};
		s->span_ns += pause_ns;
	}
	if (s->span_ns > SECOND_NS) {
		s->span_ns /= 2;
		s->span_n /= 2;
	}
	s->reads[0].n += r->n;
	s->span_n += r->n;
}

/* By how much the time of the last two reads is longer than their packets need
 * at the rate of the source; 0: by less than SILENCE_MISSING_MS, or the rate is
 * not known. */
static inline uint64_t silence_missing_ns(const struct silence *s,
					  uint64_t now_ns)
{
	uint64_t ns = now_ns - s->reads[1].from_ns, arrived_ns;

	if (s->span_ns < SECOND_NS / 4 || s->span_n == 0)
		return 0;
	arrived_ns = (s->reads[0].n + s->reads[1].n) * s->span_ns / s->span_n;
	if (ns < arrived_ns + SILENCE_MISSING_MS * MS ||
	    (ns - arrived_ns) * s->span_n / s->span_ns <
		    SILENCE_MISSING_PACKETS)
		return 0;
	return ns - arrived_ns;
}

/* Judges the lack of packets that a read shows (missing_ns).  Returns it, or 0
 * if the source shows such a lack without a loss, too. */
static inline uint64_t silence_unusual_ns(struct silence_usual *u, bool gap,
					  uint64_t missing_ns,
					  uint64_t pause_ns)
{
	u->ns = silence_decayed(u->ns, pause_ns);
	if (gap) {
		u->unsure_ns[0] = u->unsure_ns[1] = 0;
	} else if (pause_ns > 0) {
		u->ns = MAX(u->ns, u->unsure_ns[1]);
		u->unsure_ns[1] = u->unsure_ns[0];
		u->unsure_ns[0] = u->was_gap ? 0 : missing_ns;
	} else {
		/* further packets of the same read */
		u->unsure_ns[0] = MIN(u->unsure_ns[0], missing_ns);
	}
	u->was_gap = gap || (u->was_gap && pause_ns == 0);
	return missing_ns >= u->ns * 3 / 2 + SILENCE_MISSING_MS * MS
		       ? missing_ns : 0;
}

/* Notes that packets were lost at now_ns, in the pause of `doubt' or for
 * missing_ns.  True: the last second has SILENCE_SHORT_HOLES such losses. */
static inline bool silence_lost(struct silence *s, uint64_t missing_ns,
				uint64_t now_ns)
{
	uint64_t *at = s->gaps_ns;
	bool paused = s->doubt.ns > 0 && s->doubt.quiet_ns > 0 &&
		      s->doubt.quiet_ns >= s->regular.quiet_ns * 3 / 2;
	int times = missing_ns >= SILENCE_MIDDLE_MS * MS +
					  s->regular.quiet_ns * 2 ? 2 : 1;

	if ((!paused && missing_ns == 0) ||
	    (at[0] != 0 && now_ns - at[0] < SILENCE_APART_MS * MS))
		return false;
	for (; times > 0; times--) {
		for (unsigned i = SILENCE_SHORT_HOLES - 1; i > 0; i--)
			at[i] = at[i - 1];
		at[0] = now_ns;
	}
	return !s->tolerant && at[SILENCE_SHORT_HOLES - 1] != 0 &&
	       now_ns - at[SILENCE_SHORT_HOLES - 1] <= SECOND_NS;
}

/* Takes the packets of a read.  True: packets were lost in a pause. */
static inline bool silence_feed(struct silence *s, const struct silence_read *r,
				uint64_t now_ns)
{
	struct silence_pause pause = { .ns = now_ns - s->last_ns };
	const uint64_t least_ns = SILENCE_HOLE_MS * MS;
	uint64_t missing_ns = 0;
	bool hole, often;

	if (r->n > 0)
		silence_count(s, r, now_ns);
	if (s->last_ns == 0)
		/* the pauses of the source are unknown */
		s->regular.ns = SILENCE_MOST_MS * MS / SILENCE_FACTOR;
	else if (pause.ns > 0) {
		if (r->empty_ns > s->last_ns)
			pause.quiet_ns = r->empty_ns - s->last_ns;
		silence_paused(s, pause, now_ns);
	}
	if (s->last_ns != 0 &&
	    pause.ns - pause.quiet_ns <= SILENCE_LATE_MS * MS)
		missing_ns = silence_missing_ns(s, now_ns);
	missing_ns = silence_unusual_ns(&s->usual, r->gap, missing_ns,
					s->last_ns != 0 ? pause.ns : 0);
	s->last_ns = now_ns;
	if (!r->gap)
		return false;
	hole = s->doubt.ns != 0 &&
	       (s->doubt.quiet_ns >=
			MAX(s->regular.quiet_ns * 5 / 2, least_ns) ||
		missing_ns >= s->regular.quiet_ns * 5 / 2 + least_ns);
	often = silence_lost(s, missing_ns, now_ns);
	s->doubt.ns = 0;
	return hole || often;
}

/* The time at which the source becomes silent unless packets arrive;
 * UINT64_MAX: it has sent none yet. */
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
