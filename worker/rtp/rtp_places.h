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
 * Each position has a place, the record of its datagram.  next is the first
 * position that was not sent; high is the position after the newest datagram
 * that arrived.  While next < high the place before high holds a datagram.
 * retired: the losses of each path before it are counted.
 *
 * Owns the places and the store of waiting datagrams.  Only rtp_window.c uses
 * this module; the struct is embedded there.
 */
#pragma once

#include "worker/rtp/rtp_flow.h"
#include "worker/rtp/rtp_store.h"
#include "worker/rtp/rtp_window.h"

enum {
	/* used as the path of a datagram that FEC repaired */
	RTP_REPAIRED = RTP_PATHS,
	RTP_US_PER_MS = 1000,
};

enum rtp_place_state {
	PLACE_EMPTY,   /* the datagram has not arrived */
	PLACE_HELD,    /* the datagram waits in its slot */
	PLACE_DAMAGED, /* held; the datagram has damaged packets, and the other
			* path may deliver it without damage */
	PLACE_SENT,
	PLACE_LOST,    /* counted as lost */
};

struct rtp_place {
	/* time of arrival on each path, in us modulo 2^32; at_us[0] is the
	 * time of the repair or loss if no path delivered the datagram */
	uint32_t at_us[RTP_PATHS];
	uint32_t timestamp; /* RTP time stamp */
	uint16_t slot;  /* slot of the store; RTP_SLOT_NONE: none */
	uint8_t state;  /* enum rtp_place_state */
	uint8_t paths;  /* bit set of the paths that delivered the datagram */
};

struct rtp_place_path {
	bool started;         /* the path has delivered this sequence */
	uint64_t first;       /* position of its first datagram */
	uint64_t high;        /* position after its newest datagram */
	uint64_t received_ns; /* time of arrival of its last datagram */
	uint32_t lag_us;      /* delay against the faster path */
};

struct rtp_places {
	struct rtp_window_config cfg;
	/* losses of each path are counted for all positions before this one */
	uint64_t retired;
	uint64_t next, high;
	uint64_t held_from; /* no place from next up to this position holds a
			     * datagram */
	unsigned kept;      /* sent places before next that keep their slot */
	unsigned ahead;     /* see rtp_window_set_repair() */
	uint64_t began_ns;  /* time when this sequence began */
	struct rtp_place_path path[RTP_PATHS];
	/* sum of the delays of path 2 behind path 1 in the current second, and
	 * the number of these delays */
	int64_t skew_sum_us;
	uint32_t skew_n;
	struct rtp_window_counts counts;
	struct rtp_store store;
	struct rtp_place *places; /* cfg.places entries, used as a ring */
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

/* The number of places that may wait to be sent. */
static inline uint64_t rtp_places_half(const struct rtp_places *p)
{
	return p->cfg.places / 2;
}

/* Drops a slot of the store, and sets *slot to RTP_SLOT_NONE. */
void rtp_places_drop_slot(struct rtp_places *, uint16_t *slot);

/* True if the path delivered a datagram of this sequence within
 * RTP_LIVE_MS. */
bool rtp_places_is_live(const struct rtp_places *, unsigned path,
			uint64_t now_ns);

/* True if the path delivers this sequence, or may start to deliver it. */
bool rtp_places_may_deliver(const struct rtp_places *, unsigned path,
			    uint64_t now_ns);

/* Notes that a path, or RTP_REPAIRED, delivered the datagram of pos. */
void rtp_places_note_arrival(struct rtp_places *, uint64_t pos, unsigned path,
			     uint64_t now_ns);

/* Counts the losses of each path among the datagrams before next that are older
 * than twice skew_ms: no path delivers them any more. */
void rtp_places_retire(struct rtp_places *, uint64_t now_ns);

/* Moves high behind pos (>= high).  The place at pos and the new places before
 * it are empty. */
void rtp_places_reach(struct rtp_places *, uint64_t pos);

/* Ends the wait for the position next with this state (PLACE_SENT, PLACE_LOST):
 * the caller sends the datagram or counts it as lost. */
void rtp_places_pass(struct rtp_places *, enum rtp_place_state);
/* Ends the wait for the position next: sends its datagram if it is held, and
 * counts it as lost otherwise. */
void rtp_places_pass_or_lose(struct rtp_places *, uint64_t now_ns);

/* Sends the datagrams that are in order and due. */
void rtp_places_drain(struct rtp_places *, uint64_t now_ns);

/* As rtp_places_drain().  It also counts datagrams as lost that cannot arrive
 * in time any more, and sends a damaged datagram if the other path cannot
 * deliver it any more. */
void rtp_places_close_gaps(struct rtp_places *, uint64_t now_ns);
