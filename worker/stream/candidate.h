/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A source that a stream may send: an input, the filler file, or a still
 * picture.  This file has its state, as a table of states and events.
 *
 *	standby ──choose──▶ pending ──enter──▶ on air ──leave──▶ ending
 *	   ▲                   │ reject          │ cut             │ cut
 *	   └───────────────────┴─────────────────┴─────────────────┘
 *
 * At most one candidate of a stream is on air, and at most one is ending.
 * While a candidate is not on air a switch_point watches its packets, so that
 * the stream can be cut over to it at a picture.
 *
 * Pure.  The owner of a candidate frees its entry, which is made on demand.
 */
#pragma once

#include "worker/splice/switch_point.h"

enum candidate_state {
	CANDIDATE_STANDBY, /* is not sent */
	CANDIDATE_PENDING, /* is sent as soon as it can be entered */
	CANDIDATE_ON_AIR, /* is sent */
	/* its last units are sent, after a switch to another candidate */
	CANDIDATE_ENDING,
	CANDIDATE_STATES
};

enum candidate_event {
	CANDIDATE_CHOOSE, /* the policy chose it */
	CANDIDATE_REJECT, /* the policy chose another candidate */
	CANDIDATE_ENTER, /* the stream sends it from now on */
	CANDIDATE_LEAVE, /* the stream entered another candidate */
	CANDIDATE_CUT, /* no further packet of it is sent */
	CANDIDATE_EVENTS
};

/* Embedded; zeroed memory is a candidate in standby. */
struct candidate {
	enum candidate_state state;
	bool entering; /* the entry searches for a place to enter */
	bool shows; /* it has shown a random access point while it was sent */
	struct switch_point *entry;
	/* tables of its packets; NULL: the entry reads them itself */
	const struct psi *psi;
};

void candidate_handle(struct candidate *, enum candidate_event);

/* The entry, which watches the packets while the candidate is not on air; made
 * on demand. */
struct switch_point *candidate_entry(struct candidate *);

/* Starts the search for a place to enter, which candidate_end_entry() ends.
 * After wait_ms the search accepts any PES of video or audio, and after twice
 * that time any packet (switch_point.h).  A later call can change the wait. */
void candidate_begin_entry(struct candidate *, unsigned wait_ms,
			   uint64_t now_ns);
void candidate_end_entry(struct candidate *);

/* Resets the entry, because the next packets do not follow the watched packets:
 * the candidate was on air meanwhile, or its input was opened again.  A source
 * that has shown random access points is still known to show them. */
void candidate_forget(struct candidate *);

/* Looks for the first random access point in packets of a candidate on air,
 * which switch_point_feed() does not get. */
void candidate_watch(struct candidate *, const struct ts_run *runs,
		     size_t n_runs);
