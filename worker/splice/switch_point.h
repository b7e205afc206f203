/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the packet at which a stream may switch to a source.
 *
 * Such a packet begins a random access point (worker/ts/rap.h), or an audio PES
 * if the source has no video; and the tables and a PCR of the source are known
 * by then.  After the allowed wait any video or audio PES of any program is
 * accepted, and after twice the wait any packet.  A wait of less than
 * SWITCH_POINT_WAIT_MS counts only if the source has shown a random access
 * point and its tables are known.  If the video has no payload for
 * SWITCH_POINT_WAIT_MS, the wait is not longer than that.  While later packets
 * have to show whether a picture is a random access point, its packets are
 * kept.
 *
 * Feed it while the source stands by, too: then tables and clock are known when
 * the switch is wanted.  The last random access point is kept meanwhile with
 * all packets behind it, for SWITCH_POINT_PAST_MS: when the source on air turns
 * out to be silent, the stream begins in that silence.  Pure.
 */
#pragma once

#include "worker/ts/psi.h"

enum {
	/* The usual wait for a random access point. */
	SWITCH_POINT_WAIT_MS = 2000,
	/* The longest wait where no random access point can be recognized. */
	SWITCH_POINT_BLIND_MS = 5000,
	/* The most packets that are kept from a random access point on, or from
	 * a picture that may be one.  If a picture needs more packets to show
	 * whether it is one, random_access_indicator decides. */
	SWITCH_POINT_HELD_MAX = 6144,
	/* A random access point is kept for this long: longer than the silence
	 * after which the stream leaves a source. */
	SWITCH_POINT_PAST_MS = 500,
};

struct switch_point;

/* Makes a switch point.  psi: the tables of the source, which another stage
 * feeds; NULL: it reads them from its own packets. */
struct switch_point *switch_point_new(const struct psi *psi);
void switch_point_free(struct switch_point **);

/* Call it when the source is replaced: forgets its tables, its clock, the
 * search, and that it has shown random access points. */
void switch_point_reset(struct switch_point *);

/* Call it when the next packets do not follow the last ones.  Forgets what
 * switch_point_reset() forgets, but not whether the source has shown random
 * access points.  shows: true if the caller knows that it has. */
void switch_point_interrupt(struct switch_point *, bool shows);

/* Takes packets of the source on air, whose tables another stage feeds.  True:
 * the source has shown a random access point; no further call is needed. */
bool switch_point_watch(struct switch_point *, const struct ts_run *runs,
			size_t n_runs);

/* Starts the search.  The wait begins now, or with the first packet if none was
 * fed yet. */
void switch_point_want(struct switch_point *, unsigned wait_ms,
			uint64_t now_ns);

/* Accepts only random access points that arrived at past_ns or later.  Without
 * this call: those that arrived after switch_point_want(). */
void switch_point_set_past(struct switch_point *, uint64_t past_ns);

/* Changes the length of the wait, which continues from its start. */
void switch_point_set_wait(struct switch_point *, unsigned wait_ms);

/* Ends the search. */
void switch_point_cancel(struct switch_point *);

/*
 * Takes the next packets.  True when the switch point is among them: then ret
 * (room for n_runs + 1) has the runs from there on, *ret_n their number (at
 * least 1), and the search has ended.  The first run may be packets of earlier
 * calls, which stay valid until the next call; see switch_point_is_held().
 */
bool switch_point_feed(struct switch_point *, const struct ts_run *runs,
		       size_t n_runs, uint64_t now_ns, struct ts_run *ret,
		       size_t *ret_n);

/* True if the first run of the switch point that was found has packets of
 * earlier calls. */
bool switch_point_is_held(const struct switch_point *);

/* Corrects the measured phase: the packets that were fed at from_ns count as
 * received at to_ns. */
void switch_point_shift(struct switch_point *, uint64_t from_ns,
			uint64_t to_ns);

/* True if the last switch point was accepted because the wait had ended,
 * although the video of the source has shown random access points.  Then its
 * pictures are dropped until the next random access point. */
bool switch_point_is_late(const struct switch_point *);

/* True if the last switch point was accepted because the wait had ended, and
 * the video has shown no random access point yet.  Its pictures are sent,
 * because it may have none. */
bool switch_point_is_blind(const struct switch_point *);

/* The tables of the source; borrowed. */
const struct psi *switch_point_psi(const struct switch_point *);

/* Writes the number of the main program, and the smoothed lead of its PCRs over
 * the time of their arrival (27 MHz, with wrap).  False: they are unknown. */
bool switch_point_phase(const struct switch_point *, uint16_t *ret_program,
			uint64_t *ret_phase);
