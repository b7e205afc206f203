/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plays packets that a source delivers in bursts, at the pace of their PCRs.
 *
 * Starts when the packets that wait last lead_ms, and holds that level: the
 * pace follows the clock of the source.  If it has played no packet for half a
 * second, it waits for the lead again.  The packets of a source that ended are
 * played without a lead.
 *
 * Owns the packets that wait.  Pure: time is an argument.  Embedded.
 */
#pragma once

#include "worker/ts/batch.h"
#include "worker/input/file_clock.h"
#include "worker/input/packet_ring.h"

enum {
	/* The largest correction of the pace (ISO/IEC 13818-1 asks for 30 ppm
	 * of a source; a receiver follows much more). */
	PLAYOUT_SPEED_PPM = 2000,
	/* The queue is full when it has less room than this: a push may need
	 * room for as many packets. */
	PLAYOUT_ROOM_MIN = 2048,
	/* most cuts (changes of the time base) that wait */
	PLAYOUT_CUTS = 64,
};

struct playout {
	struct packet_ring ring;
	/* A bit for each packet with a PCR, by its number modulo n_marks * 64;
	 * NULL until the first packet.  So packets without a PCR are not read
	 * a second time. */
	uint64_t *marks;
	size_t n_marks;
	/* Set by the owner: packets in the push that waits for room.  With less
	 * room the queue is full.  0: no push waits. */
	size_t need;
	struct pcr_clock in;     /* clock of the packets that were pushed */
	uint64_t gap_ticks;      /* longest time between two PCRs of `in` */
	struct file_clock clock; /* clock of the packets that are taken */
	uint64_t sent;     /* packets taken from the ring since init */
	/* playing time that waits before the start; 0: packets are not paced */
	uint64_t lead_ns;
	/* Set by the owner: the source has paused or ended, so that all packets
	 * are played, although less than the lead waits, and those behind the
	 * last PCR too. */
	bool ended;
	bool plays; /* packets are played; false: the lead is built up */
	uint64_t checked_ns; /* time of the last correction of the pace */
	/* The level is the playing time of the packets here and at the source
	 * together; the pace keeps it constant. */
	uint64_t hold_ns;      /* the level to hold; 0: unknown, or none */
	uint64_t mean_ns;      /* the level, smoothed over smooth_s */
	/* time over which mean_ns averages; 0: no level is held */
	unsigned smooth_s;
	unsigned checks;       /* corrections since the start */
	/* set by the owner: the playing time that waits at the source */
	uint64_t elsewhere_ns;
	/* numbers of the packets at which another time base begins, in order;
	 * the clock has used the first `looked` of them */
	uint64_t cuts[PLAYOUT_CUTS];
	size_t n_cuts, looked;
	uint64_t taken_ns; /* time at which packets were last taken */
	/* during a flush: time at which its first packet was due; 0: no
	 * packets are flushed */
	uint64_t due_ns;
	uint32_t underruns; /* how often the lead had to be built up again */
};

void playout_init(struct playout *, unsigned lead_ms, size_t packets_max,
		  uint64_t now_ns);
void playout_done(struct playout *);

/* Sets the pace for a source that delivers many packets at its start and
 * further ones from time to time.  The playout starts with lead_ms, and keeps
 * the level (see hold_ns), averaged over smooth_s, as it was at the start.
 * smooth_s 0: the source waits until it is read, so no level is held. */
void playout_set_pace(struct playout *, unsigned lead_ms, unsigned smooth_s);

/* The number of packets for which the queue has room. */
size_t playout_room(const struct playout *);
/* Adds packets: run.n must be at most playout_room(). */
void playout_push(struct playout *, struct ts_run run);

/* Is there room for another cut?  A cut says that another time base begins with
 * the next push; at most PLAYOUT_CUTS may wait. */
static inline bool playout_can_cut(const struct playout *p)
{
	return p->n_cuts < PLAYOUT_CUTS;
}
void playout_cut(struct playout *);

/* Is the next packet the first one after a cut?  playout_take() stops before it
 * until playout_pass_cut() is called. */
bool playout_is_at_cut(const struct playout *);
void playout_pass_cut(struct playout *);

/* Puts the packets that are due into the batch and flushes it; returns their
 * number. */
size_t playout_take(struct playout *, struct batch *, uint64_t now_ns);

/* True if the queue is empty, or too short to start.  After the end of the
 * source it is never too short. */
bool playout_is_dry(const struct playout *);

/* The time at which the next packet is due; during a flush, the time at which
 * the first packet of the flush was due.  This time does not advance while the
 * playout is late. */
uint64_t playout_due_ns(const struct playout *);

/* The playing time of the packets in the ring. */
uint64_t playout_waiting_ns(const struct playout *);

/* Frees unused memory. */
void playout_every_second(struct playout *);
