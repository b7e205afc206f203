/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a source gives in lumps, played at the pace of its PCRs.
 *
 * Begins when what waits lasts as long as it is to (lead_ms), and holds that:
 * the source has a clock of its own, so the pace is corrected a little.  When
 * nothing is left it waits for the lead again.
 *
 * Owns the packets that wait.  Pure: time comes in as a number.  Embedded.
 */
#pragma once

#include "worker/ts/batch.h"
#include "worker/input/file_clock.h"
#include "worker/input/packet_ring.h"

enum {
	/* The pace is never more than that off the PCRs' (ISO/IEC 13818-1 asks
	 * for 30 ppm of a source; a receiver follows much more). */
	PLAYOUT_SPEED_PPM = 2000,
	/* Less room than what one push may bring is none. */
	PLAYOUT_ROOM_MIN = 2048,
	PLAYOUT_CUTS = 64,
};

struct playout {
	struct packet_ring ring;
	/* which packets of it have a PCR: a bit each, found by their number
	 * modulo n_marks * 64; NULL until the first one comes.  So the others
	 * need not be looked at again when their time comes. */
	uint64_t *marks;
	size_t n_marks;
	size_t need;             /* packets that what comes next takes room
				    for; 0: it is not known */
	struct pcr_clock in;     /* of what was pushed */
	uint64_t gap_ticks;      /* the most between two PCRs in it */
	struct file_clock clock; /* of what is taken */
	uint64_t sent;     /* packets taken out of the ring, ever */
	uint64_t lead_ns;  /* 0: at once, as it comes */
	bool ended;
	bool plays;
	uint64_t checked_ns; /* when the pace was corrected last */
	/* What waits, here and at the source, is to stay as it is.  */
	uint64_t hold_ns;      /* 0: not known yet, or never */
	uint64_t mean_ns;      /* what it was, smoothed ... */
	unsigned smooth_s;     /* ... over so long; 0: no matter */
	unsigned checks;       /* since it began */
	uint64_t elsewhere_ns; /* the part that waits at the source */
	/* packets before the places where what comes does not go on with
	 * what came, in order; those before `looked` were looked at */
	uint64_t cuts[PLAYOUT_CUTS];
	size_t n_cuts, looked;
	uint64_t taken_ns; /* when something was taken last */
	uint64_t due_ns;   /* when what is being handed over was; 0: nothing */
	uint32_t underruns;
};

void playout_init(struct playout *, unsigned lead_ms, size_t packets_max,
		  uint64_t now_ns);
void playout_done(struct playout *);

/*
 * For a source that gives what it has at once and more from time to time:
 * begins with lead_ms, and keeps the mean over smooth_s of what waits here and
 * there (elsewhere_ns) as it was in the beginning.  smooth_s 0: there is no
 * hurry, all of it waits to be asked for.
 */
void playout_set_pace(struct playout *, unsigned lead_ms, unsigned smooth_s);

/* How many packets there is room for. */
size_t playout_room(const struct playout *);
/* What comes next waits for room for n packets: without that the queue is
 * full.  0: nothing waits for it. */
void playout_set_need(struct playout *, size_t n);
/* run.n <= playout_room() */
void playout_push(struct playout *, struct ts_run run);

/* Nothing more comes for now: what stands behind the last PCR is played. */
void playout_set_ended(struct playout *, bool ended);

/* What is pushed from now on has another clock.  No more than PLAYOUT_CUTS of
 * such places may wait. */
static inline bool playout_can_cut(const struct playout *p)
{
	return p->n_cuts < PLAYOUT_CUTS;
}
void playout_cut(struct playout *);

/* Is the next packet the first behind such a place?  playout_take() goes no
 * further until playout_pass_cut(). */
bool playout_is_at_cut(const struct playout *);
void playout_pass_cut(struct playout *);

/* Hands what is due to the batch and flushes it; the number of packets. */
size_t playout_take(struct playout *, struct batch *, uint64_t now_ns);

/* Is nothing left to play, or not enough to begin with? */
bool playout_is_dry(const struct playout *);

/* When the next packet is due, or, while packets are handed over, when the
 * first of them was: on a clock that stands still while it is held up. */
uint64_t playout_due_ns(const struct playout *);

/* How long what waits here plays. */
uint64_t playout_waiting_ns(const struct playout *);

/* Once a second: gives back memory. */
void playout_second(struct playout *);
