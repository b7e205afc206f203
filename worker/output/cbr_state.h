/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of an output of constant bit rate; only for cbr*.c. */
#pragma once

#include "common/base/util.h"
#include "worker/output/cbr.h"
#include "worker/output/cbr_clock.h"
#include "worker/ts/fifo.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes_head.h"
#include "worker/ts/psi.h"

#define CBR_TICKS_MS (PCR_HZ / 1000)
#define CBR_PACKET_BITS (UINT64_C(8) * TS_PACKET)

enum {
	CBR_OUT_PACKETS = 49 * DATAGRAM_PACKETS, /* most packets of a send */
	/* A PID without PCRs for this time gets no inserted PCRs.  Longer than
	 * a silence that null packets bridge. */
	CBR_PCR_GONE_MS = CBR_SILENCE_MS + 500,
	/* The same time for a PID that no PMT names: the stream has switched to
	 * another source. */
	CBR_PCR_LEFT_MS = 200,
};

struct cbr_memory;

struct cbr {
	uint64_t bps;
	unsigned burst_ms;
	struct fifo fifo;
	struct cbr_memory *memory; /* of cbr_keep(); or NULL */
	uint64_t kept_ns;          /* time of cbr_keep() */
	size_t queue_max;    /* most packets of any kind in the queue */
	size_t content_max;  /* a queue of more packets takes only tables */
	/* the ticks before which the queued packets do not leave, in a circle
	 * of places_mask + 1 entries; NULL: the packets are spread evenly */
	uint64_t *places;
	/* place: number of the first queued packet, whose entry is at place &
	 * places_mask */
	size_t place, places_mask;
	struct psi *psi;     /* names the PIDs of the PMTs */
	bool running;
	uint64_t content_ns; /* arrival of the last content packet */
	uint64_t content_awake_ns; /* value of awake_ns at content_ns */
	bool held;           /* the queue waits for PCRs of all clocks */
	uint64_t held_tick;  /* the tick since which the queue waits */
	uint64_t pause_tick; /* tick of the last content packet in front of the
			      * pause */
	uint64_t run_ns;     /* time of the last run */
	uint64_t awake_ns;   /* sum of the times between two runs, each cut to
			      * the longest normal sleep */
	uint64_t now_tick;   /* tick of the last run */

	/* the next position: its tick, and a fraction in 1 / bps of a tick */
	uint64_t tick, part;
	uint64_t step, step_part; /* distance of two positions, as tick and
				   * part */

	uint64_t pcr_due;    /* the earliest tick of an inserted PCR */
	size_t n_clocks, clocks_max;
	struct cbr_clock *clocks; /* clocks_max entries, n_clocks in use */
	size_t n_begun;      /* clocks whose new time base is announced next */
	uint8_t clock_of[TS_PIDS]; /* 1 + index of the PID's clock in `clocks';
				    * 0: none */
	/* for the PID of a video or audio: the PCR PID of its program;
	 * TS_PID_NULL: none */
	uint16_t pcr_of[TS_PIDS];
	struct pes_reader reader;
	struct cbr_counters counters;

	bool put; /* `first', the packet of cbr_put(), waits */
	uint8_t first[TS_PACKET];
	uint8_t out[CBR_OUT_PACKETS * TS_PACKET];
};

/* Converts ns of the machine's clock to ticks of 27 MHz, the time of the
 * output. */
static inline uint64_t cbr_tick(uint64_t ns)
{
	return ns / 1000 * 27 + ns % 1000 * 27 / 1000;
}

static inline bool cbr_is_gone(const struct cbr_clock *clock, uint64_t tick)
{
	uint64_t ms = clock->left ? CBR_PCR_LEFT_MS : CBR_PCR_GONE_MS;

	return clock->in_tick + ms * CBR_TICKS_MS < tick;
}

static inline void cbr_set_begun(struct cbr *c, struct cbr_clock *clock,
				 bool begun)
{
	c->n_begun += (size_t)begun - (size_t)clock->begun;
	clock->begun = begun;
}

/* A clock whose new time base is announced next; NULL: none. */
struct cbr_clock *cbr_find_begun(struct cbr *);

/* True if, after a pause, a clock that ran before has no PCR yet, or only PCRs
 * that leave open whether its time base is a new one. */
bool cbr_is_undecided(const struct cbr *);

/* The earliest tick at which a PCR is inserted, if no packet has a PCR before;
 * UINT64_MAX: never. */
uint64_t cbr_next_pcr(const struct cbr *);

/* Sets from the PMTs the PCR PID of each video and audio (pcr_of). */
void cbr_name_clocks(struct cbr *);

/* Reads the DTS of a unit whose PES header begins or ends in the packet.  Call
 * it for packets that begin a unit, and for all while the reader has incomplete
 * headers. */
void cbr_read_unit(struct cbr *, const uint8_t *packet);

/* The length of a pause after which the next packets wait for the PCRs that
 * show whether their clocks stopped. */
uint64_t cbr_pause_ns(const struct cbr *);

/* --- a busy machine --- */

/* The number of positions up to this tick. */
uint64_t cbr_positions_until(const struct cbr *, uint64_t tick);

/* How many packets of any kind may wait, without the part of the queue for
 * tables.  While positions are late it is more, because waiting packets fill
 * them at once. */
size_t cbr_limit(const struct cbr *, uint64_t now_tick);

/* Drops the first packet of the queue.  If it announces a time base, another
 * packet announces that. */
void cbr_drop_first(struct cbr *);

/* Call it when positions were skipped: each clock that ran announces a new time
 * base at the next position. */
void cbr_announce(struct cbr *);

/* Skips the positions beyond CBR_LATE_MS after a long delay, with their
 * packets.  The step of the PCRs is announced. */
void cbr_skip_late(struct cbr *);
