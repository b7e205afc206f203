/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plays packets that a source delivers in bursts, at the pace of their PCRs.
 *
 * Starts when the packets that wait last lead_ms, and holds that level: the
 * pace follows the clock of the source.  When it runs empty it waits for the
 * lead again.
 *
 * Owns the packets that wait.  Pure: time comes in as a number.  Embedded.
 */
#pragma once

#include "worker/ts/batch.h"
#include "worker/input/file_clock.h"
#include "worker/input/packet_ring.h"

enum {
	/* The largest correction of the pace (ISO/IEC 13818-1 asks for 30 ppm
	 * of a source; a receiver follows much more). */
	PLAYOUT_SPEED_PPM = 2000,
	/* With less room the queue is full: a push may need so much. */
	PLAYOUT_ROOM_MIN = 2048,
	PLAYOUT_CUTS = 64,
};

struct playout {
	struct packet_ring ring;
	/* A bit for each packet with a PCR, by its number modulo n_marks * 64;
	 * NULL until the first packet.  Saves reading the others again. */
	uint64_t *marks;
	size_t n_marks;
	/* Set by the owner: room, in packets, that the next push needs.  With
	 * less the queue is full.  0: no push waits. */
	size_t need;
	struct pcr_clock in;     /* clock of the packets that were pushed */
	uint64_t gap_ticks;      /* the longest between two PCRs of these */
	struct file_clock clock; /* clock of the packets that are taken */
	uint64_t sent;     /* packets taken out of the ring, ever */
	uint64_t lead_ns;  /* 0: packets go out at once */
	/* Set by the owner: the source has paused or ended, so that the packets
	 * behind the last PCR are played. */
	bool ended;
	bool plays;
	uint64_t checked_ns; /* the last correction of the pace */
	/* The level here and at the source together is held.  */
	uint64_t hold_ns;      /* the level to hold; 0: unknown, or none */
	uint64_t mean_ns;      /* the level, smoothed over smooth_s */
	unsigned smooth_s;     /* 0: no level is held */
	unsigned checks;       /* since the start */
	uint64_t elsewhere_ns; /* the level at the source */
	/* packets at which another time base begins, in order; those before
	 * `looked` are known to the clock */
	uint64_t cuts[PLAYOUT_CUTS];
	size_t n_cuts, looked;
	uint64_t taken_ns; /* the last packets were taken */
	uint64_t due_ns;   /* when the flushed packets were due; 0: none */
	uint32_t underruns;
};

void playout_init(struct playout *, unsigned lead_ms, size_t packets_max,
		  uint64_t now_ns);
void playout_done(struct playout *);

/*
 * For a source that delivers a stock at once and more from time to time: starts
 * with lead_ms, and holds the level here and at the source (elsewhere_ns), the
 * mean over smooth_s, as it was at the start.  smooth_s 0: the source waits to
 * be read, so no level is held.
 */
void playout_set_pace(struct playout *, unsigned lead_ms, unsigned smooth_s);

/* Room, in packets. */
size_t playout_room(const struct playout *);
/* run.n <= playout_room() */
void playout_push(struct playout *, struct ts_run run);

/* Another time base begins with the next push.  At most PLAYOUT_CUTS of such
 * cuts may wait. */
static inline bool playout_can_cut(const struct playout *p)
{
	return p->n_cuts < PLAYOUT_CUTS;
}
void playout_cut(struct playout *);

/* Is the next packet the first behind a cut?  playout_take() stops there until
 * playout_pass_cut(). */
bool playout_is_at_cut(const struct playout *);
void playout_pass_cut(struct playout *);

/* Puts the packets that are due into the batch and flushes it; their number. */
size_t playout_take(struct playout *, struct batch *, uint64_t now_ns);

/* Is the queue empty, or too short to start? */
bool playout_is_dry(const struct playout *);

/* When the next packet is due, or, while packets are flushed, when the first of
 * them was: on a clock that stops while the playout is late. */
uint64_t playout_due_ns(const struct playout *);

/* How long the packets that wait here play. */
uint64_t playout_waiting_ns(const struct playout *);

/* Frees unused memory. */
void playout_every_second(struct playout *);
