/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the points where a receiver can join a stream: at a random access
 * point, with PAT and PMTs in front of it.
 *
 * If the stream has no picture, an audio frame is a join point.  A stream that
 * shows no random access point (intra refresh without recovery points; no
 * indicators in a scrambled stream or of an unknown codec) is joined at
 * parameter sets or an indicator, else at the start of any PES packet, and
 * finally at any packet: a guess.  While the video that the PMT lists is not
 * sent, a guess is the start of an audio frame.
 *
 * Pure.
 */
#pragma once

#include "common/base/units.h"
#include "worker/output/cc_rewrite.h"
#include "worker/ts/fifo.h"
#include "worker/ts/psi.h"
#include "worker/ts/rap.h"

enum {
	/* Every audio frame is a random access point, and parameter sets may be
	 * in front of every picture.  One join point in this time suffices. */
	JOIN_POINT_AUDIO_MS = 500,
	/* After this time without a join point any PES packet is one, and after
	 * twice this time, any packet. */
	JOIN_POINT_TIMEOUT_MS = 2000,
	/* The timeout for a video whose random access points can be recognized:
	 * longer than its longest group of pictures. */
	JOIN_POINT_PATIENCE_MS = 15000,
	/* A pause of all packets that is so long does not count as a silence of
	 * the main PID. */
	JOIN_POINT_PAUSE_MS = 500,
	/* Most packets, and longest time, that wait until it is decided whether
	 * the picture that began is a random access point. */
	JOIN_POINT_HELD_MAX = 1024,
	JOIN_POINT_HELD_MS = 500,
};

/* Lets the rap follow the main PID that the tables name.  Returns the PID. */
uint16_t join_point_follow(struct rap *, const struct psi *);

/* Judges the next packet of the main PID.  waited_ns: time since the last join
 * point, or since the start of the search. */
static inline enum rap_sign join_point_feed(struct rap *r,
					    const uint8_t *packet,
					    uint64_t waited_ns)
{
	enum rap_sign sign = rap_feed(r, packet);

	return r->class == PID_AUDIO && waited_ns < JOIN_POINT_AUDIO_MS * MS
		       ? RAP_NONE : sign;
}

/* Times since events; before the first event, since the start of the search. */
struct join_wait {
	uint64_t rap_ns;   /* time since the last random access point */
	uint64_t guess_ns; /* time since the last guess */
	uint64_t main_ns;  /* time since the last packet of the main PID, or
			    * since the last pause of all packets */
};

/* True if a guess may be a join point, because no random access point came in
 * time. */
bool join_point_may_guess(const struct rap *, const struct join_wait *);

/* Is a guess allowed, and is the packet one?  Call join_point_feed() with a
 * packet of the main PID first. */
bool join_point_is_guess(const struct rap *, const struct psi *,
			 const uint8_t *packet, const struct join_wait *);

typedef void join_point_put_fn(const uint8_t *packets, size_t n, void *arg);

/* Passes the newest PAT and PMTs to put, those that psi_lead() selects, in
 * packets with the counters of cc. */
void join_point_tables(const struct psi *, struct cc_rewrite *cc,
		       join_point_put_fn *put, void *arg);

/*
 * Searches the join point for an output that just connected.  Owns its tables
 * and packets.
 *
 * The counters of the tables in front of the join point are chosen so that the
 * packets behind it continue them unchanged.
 */
struct join_search;

/* The join point and all packets after it are passed to put, whose arg outlives
 * the search. */
struct join_search *join_search_new(join_point_put_fn *put, void *arg);
void join_search_free(struct join_search **);

/* Takes packets that are dropped while no receiver is connected. */
void join_search_skip(struct join_search *, const struct ts_run *);

/* Takes packets.  True when they contain or decide the join point: the tables
 * and all packets from there on were passed to put, and the search is over.
 * Adds the packets in front of it to *dropped. */
bool join_search_feed(struct join_search *, const struct ts_run *,
		      uint64_t now_ns, uint64_t *dropped);
