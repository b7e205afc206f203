/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records which datagrams of an rtp_window arrived, by which path and when.
 * Decides which datagrams may be sent and which gaps cannot be filled any more.
 *
 * Positions are 64-bit numbers that only grow, while sequence numbers wrap or
 * jump:
 *
 *	retired <= next <= high
 *
 * next is the first position that was not sent; high is the position after the
 * newest datagram that arrived.  While next < high the place before high holds
 * a datagram.
 *
 * Owns the places and the store of waiting datagrams.  Only rtp_window.c uses
 * it; embedded there.
 */
#pragma once

#include "worker/rtp/rtp_flow.h"
#include "worker/rtp/rtp_store.h"
#include "worker/rtp/rtp_window.h"

enum {
	RTP_REPAIRED = RTP_PATHS, /* instead of a path: FEC repaired it */
	RTP_US_PER_MS = 1000,
};

enum rtp_place_state {
	PLACE_EMPTY,
	PLACE_HELD,
	PLACE_DAMAGED, /* held; it has damaged packets, and the other path may
			* deliver it without */
	PLACE_SENT,
	PLACE_LOST,
};

struct rtp_place {
	/* monotonic time of arrival by path, modulo 2^32; without a path
	 * (repaired or lost) the time is in [0] */
	uint32_t at_us[RTP_PATHS];
	uint32_t timestamp;
	uint16_t slot;
	uint8_t state;
	uint8_t paths; /* bit set of the paths that delivered it */
};

struct rtp_place_path {
	bool started;
	uint64_t first;       /* position of its first datagram */
	uint64_t high;        /* position after its newest datagram */
	uint64_t received_ns;
	uint32_t lag_us;      /* delay against the faster path */
};

struct rtp_places {
	struct rtp_window_config cfg;
	/* losses of each path are counted for all positions before this one */
	uint64_t retired;
	uint64_t next, high;
	uint64_t held_from; /* positions before it hold no datagram */
	unsigned kept;      /* sent places before next that keep their slot */
	unsigned ahead;     /* see rtp_window_set_repair() */
	uint64_t began_ns;  /* begin of this sequence */
	struct rtp_place_path path[RTP_PATHS];
	int64_t skew_sum_us;
	uint32_t skew_n;
	struct rtp_window_counts counts;
	struct rtp_store store;
	struct rtp_place *places;
};

static inline struct rtp_place *rtp_place(const struct rtp_places *p,
					  uint64_t pos)
{
	return &p->places[pos & (uint64_t)(p->cfg.places - 1)];
}

static inline bool rtp_place_is_held(const struct rtp_place *place)
{
	return place->state == PLACE_HELD || place->state == PLACE_DAMAGED;
}

/* The number of places that may wait. */
static inline uint64_t rtp_places_half(const struct rtp_places *p)
{
	return p->cfg.places / 2;
}

void rtp_places_drop_slot(struct rtp_places *, uint16_t *slot);

bool rtp_places_is_live(const struct rtp_places *, unsigned path,
			uint64_t now_ns);

/* Does the path deliver datagrams of this sequence, or may it start to? */
bool rtp_places_may_deliver(const struct rtp_places *, unsigned path,
			    uint64_t now_ns);

/* Notes that a path, or RTP_REPAIRED, delivered the datagram of pos. */
void rtp_places_note_arrival(struct rtp_places *, uint64_t pos, unsigned path,
			     uint64_t now_ns);

/* Counts what each path lost of the datagrams that were sent some time ago. */
void rtp_places_retire(struct rtp_places *, uint64_t now_ns);

/* Makes the place at pos (>= high) the newest; it and the new places before it
 * are empty. */
void rtp_places_reach(struct rtp_places *, uint64_t pos);

/* Ends the wait for the position next: the caller has sent its datagram or
 * counted it as lost, as the state says. */
void rtp_places_pass(struct rtp_places *, enum rtp_place_state);
/* Ends the wait for the position next: sends its datagram if it is held, and
 * counts it as lost otherwise. */
void rtp_places_pass_or_lose(struct rtp_places *, uint64_t now_ns);

/* Sends the datagrams that are in order and due. */
void rtp_places_drain(struct rtp_places *, uint64_t now_ns);

/* As rtp_places_drain(), and counts gaps that cannot be filled in time as
 * lost.  A damaged datagram is sent when the other path cannot deliver it any
 * more. */
void rtp_places_close_gaps(struct rtp_places *, uint64_t now_ns);
