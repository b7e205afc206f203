/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a window is made of; for rtp_window.c and rtp_places.c only. */
#pragma once

#include "worker/rtp/rtp_window.h"

enum {
	RTP_REPAIRED = RTP_PATHS, /* in the place of a path */
	RTP_US_PER_MS = 1000,
};

enum place_state { PLACE_EMPTY, PLACE_HELD, PLACE_GONE, PLACE_LOST };

/* Where a datagram belongs; times wrap. */
struct place {
	uint32_t at_us[RTP_PATHS]; /* [0] too when no path brought it */
	uint32_t timestamp;
	uint16_t slot;
	uint8_t state;
	uint8_t paths; /* that brought it, a bit each */
};

struct path {
	bool started;
	uint64_t first;    /* position of its first datagram */
	uint64_t high;     /* behind its newest one */
	uint64_t heard_ns;
	uint32_t lag_us;   /* behind the faster path */
};

/* Of another count than ours, maybe the first of it; data and payload are in
 * its slot. */
struct put_by {
	uint16_t slot;
	struct rtp_datagram datagram;
};

/*
 * Positions count up for ever, whatever sequence numbers do:
 *
 *	retired <= next <= high; next is the first that has not gone on,
 *	high is behind the newest that came.  When next < high the place
 *	before high holds a datagram.
 */
struct rtp_window {
	struct rtp_window_config cfg;
	struct rtp_flow flow;
	uint16_t offset;   /* sequence number = position + offset */
	uint32_t newest;   /* RTP time stamp before high */
	uint64_t first;    /* of this count */
	uint64_t retired;  /* up to here paths were judged */
	uint64_t next, high;
	uint64_t held_from; /* nothing is held before it */
	unsigned kept;     /* places behind next that keep their slot */
	unsigned ahead;    /* see rtp_window_set_repair() */
	struct path path[RTP_PATHS];
	struct put_by strange[RTP_PATHS];
	int64_t skew_sum_us;
	uint32_t skew_n;
	struct rtp_window_counts counts;
	struct rtp_store store;
	struct place *places;
};

static inline struct place *rtp_place(const struct rtp_window *w,
				      uint64_t pos)
{
	return &w->places[pos & (uint64_t)(w->cfg.places - 1)];
}

/* So many places may wait. */
static inline uint64_t rtp_half(const struct rtp_window *w)
{
	return w->cfg.places / 2;
}

void rtp_drop_slot(struct rtp_window *, uint16_t *slot);

bool rtp_path_is_live(const struct rtp_window *, unsigned path,
		      uint64_t now_ns);

/* A path, or RTP_REPAIRED, has brought what belongs at pos. */
void rtp_note_arrival(struct rtp_window *, uint64_t pos, unsigned path,
		      uint64_t now_ns);

/* Which paths brought what went on some time ago is settled. */
void rtp_retire_old(struct rtp_window *, uint64_t now_ns);

/* Makes the place at pos >= high the newest. */
void rtp_reach(struct rtp_window *, uint64_t pos);

/* The place at next is done with: as it is, handed out, or lost. */
void rtp_pass(struct rtp_window *, enum place_state);
void rtp_pass_held(struct rtp_window *);
void rtp_give_up(struct rtp_window *, uint64_t now_ns);

/* Makes room for pos, so that at most half of the places wait. */
void rtp_move_on(struct rtp_window *, uint64_t pos, uint64_t now_ns);

/* Hands out what is in its turn, and due. */
void rtp_drain(struct rtp_window *, uint64_t now_ns);

/* The same, and gives up what is hopeless. */
void rtp_close_gaps(struct rtp_window *, uint64_t now_ns);
