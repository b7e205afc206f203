/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the points where a receiver can join a stream: at a random access
 * point, with PAT and PMTs in front of it.
 *
 * If the stream has no picture, an audio frame is a join point.  If no codec is
 * known, the start of any PES packet is one, and finally any packet.
 *
 * Pure.
 */
#pragma once

#include "common/base/units.h"
#include "worker/output/cc_rewrite.h"
#include "worker/ts/psi.h"
#include "worker/ts/rap.h"

enum {
	/* Every audio frame is a random access point.  One in this time is
	 * enough. */
	JOIN_POINT_AUDIO_MS = 500,
	/* After this time without a join point any PES packet is one, and
	 * after twice this time any packet. */
	JOIN_POINT_TIMEOUT_MS = 2000,
};

/* Is the packet a join point?  waited_ns: time since the last join point, or
 * since the start of the search. */
static inline bool join_point_is(const struct psi *psi, const uint8_t *packet,
				 uint16_t main_pid, uint64_t waited_ns)
{
	uint16_t pid = ts_pid(packet);
	enum pid_class class = psi_class(psi, pid);

	if (pid == main_pid && ts_pusi(packet) &&
	    (class != PID_AUDIO || waited_ns >= JOIN_POINT_AUDIO_MS * MS) &&
	    rap_is_start(packet, psi_stream_type(psi, pid), class))
		return true;
	if (waited_ns < JOIN_POINT_TIMEOUT_MS * MS)
		return false;
	return waited_ns >= 2 * JOIN_POINT_TIMEOUT_MS * MS ||
	       (ts_pusi(packet) && class != PID_PSI);
}

typedef void join_point_put_fn(const uint8_t *packets, size_t n, void *arg);

/* Passes the last PAT and PMTs to put, in packets with the counters of cc. */
void join_point_tables(const struct psi *, struct cc_rewrite *cc,
		       join_point_put_fn *put, void *arg);

/*
 * Searches the join point for an output that just connected.  Owns its tables.
 *
 * The counters of the tables in front of the join point are chosen so that the
 * packets behind it continue them unchanged.
 */
struct join_search;

struct join_search *join_search_new(void);
void join_search_free(struct join_search **);

/* Takes packets that are dropped while no receiver is connected. */
void join_search_skip(struct join_search *, const struct ts_run *);

/* The number of packets in front of the join point; run->n without one. */
size_t join_search_find(struct join_search *, const struct ts_run *run,
			uint64_t now_ns);

/* Passes the tables in front of the join point to put. */
void join_search_tables(struct join_search *, join_point_put_fn *put,
			void *arg);
