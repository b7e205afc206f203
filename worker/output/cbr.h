/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts a stream to a constant bit rate: drops its null packets, inserts
 * new ones and rewrites the PCRs by the position of their packets.  A position
 * is the time slot of one packet in the output.
 *
 * The packets of an input are spread evenly over the positions that are due.
 * Each packet of a multiplex comes with its own time.
 * A queue of at most CBR_QUEUE_MS holds packets that do not fit; beyond it
 * packets are dropped and counted.  An eighth of the queue is reserved for PAT,
 * PMT, CAT, NIT, SDT and TDT, so that an overflow drops these last.  If the
 * PCRs of a PID that a PMT names are more than CBR_PCR_MS apart, packets with
 * nothing but a PCR are inserted, but not between a packet and its duplicate
 * (ISO/IEC 13818-1 2.4.3.3).  If all clocks are in use, such a PID gets the
 * clock of a PID that no PMT names.
 *
 * The output starts with the first packet, and stops after CBR_SILENCE_MS
 * without packets other than null packets, so that null packets do not hide a
 * dead source.  After a pause of CBR_PAUSE_MS, or of less if units would leave
 * after their DTS, packets wait at most CBR_HELD_MS.  In this time PCRs show
 * for each clock whether it stopped, so that new time bases are announced in
 * front of the packets.
 *
 * After a late wake-up the packets are spread over all positions that are due.
 * Positions that are late by more than CBR_LATE_MS are skipped, with their
 * packets, and the step of the PCRs is announced.  Less than a tenth of a
 * second is not skipped.
 *
 * Pure: time is an argument.  Owns its queue; after cbr_keep() borrows the
 * memory of the queue.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	CBR_QUEUE_MS = 1000,
	CBR_SILENCE_MS = 2000,
	CBR_HELD_MS = 100,
	CBR_PCR_MS = 38,     /* most time between two PCRs of a PID; TS 101 154
			      * 4.1.5 allows 40 */
	/* If the last PCR of a PID is so old, a PCR is inserted instead of a
	 * null packet. */
	CBR_PCR_NULL_MS = 30,
	CBR_CLOCKS = 64,     /* PIDs whose PCRs are rewritten; the PCRs of
			      * further PIDs are not changed */
	CBR_CLOCKS_MAX = 255,
	/* If positions are late by more than this, bursts grow to
	 * PACER_LATE_BURST_MS. */
	CBR_BEHIND_MS = 100,
	/* Positions that are late by more than this are skipped. */
	CBR_LATE_MS = 1000,
};

struct cbr;

struct cbr_counters {
	uint64_t overflow; /* packets dropped because the queue was full */
	uint64_t late;     /* packets dropped with skipped positions */
	/* duplicates dropped because a packet with a PCR was inserted behind
	 * the original */
	uint64_t duplicates;
	uint64_t nulls;    /* inserted null packets */
	uint64_t pcrs;     /* packets inserted for a PCR */
	uint64_t skipped;  /* positions skipped after late wake-ups */
};

/* Makes an output of kbps, CBR_MIN_KBPS to CBR_MAX_KBPS.  burst_ms: the most
 * that one run sends, at most PACER_BURST_MS. */
struct cbr *cbr_new(unsigned kbps, unsigned burst_ms);
/* As cbr_new() for a multiplex, whose packets have known times (cbr_feed_at()),
 * with another number of clocks, at most CBR_CLOCKS_MAX. */
struct cbr *cbr_new_mux(unsigned kbps, unsigned burst_ms, size_t clocks);
void cbr_free(struct cbr **);

/* Takes the packets that arrived by now_ns, which never decreases. */
void cbr_feed(struct cbr *, const struct ts_run *runs, size_t n_runs,
	      uint64_t now_ns);

/* Takes a packet of a multiplex that leaves at the first free position from
 * at_ns on, which never decreases and is not later than now_ns. */
void cbr_feed_at(struct cbr *, const uint8_t *packet, uint64_t at_ns,
		 uint64_t now_ns);

/* Sends this packet at the next free position, before the queued packets.
 * False: the output does not run, or another such packet waits. */
bool cbr_put(struct cbr *, const uint8_t *packet);

/* Passes the packets due at now_ns to out: whole datagrams of DATAGRAM_PACKETS,
 * at most a burst and one datagram; more only if wake-ups are too late to keep
 * the rate otherwise. */
void cbr_run(struct cbr *, uint64_t now_ns, ts_out_fn *out, void *arg);

/* The time at which cbr_run() is due if no packets arrive; UINT64_MAX: none. */
uint64_t cbr_next_ns(const struct cbr *);

/* Are more packets due than one run may send? */
bool cbr_is_behind(const struct cbr *);

/* The last PCR of a PID in the output, or the PCR from which the clock of a PID
 * will continue that has sent none yet. */
struct cbr_time {
	uint16_t pid;
	uint64_t pcr;   /* 27 MHz */
	uint64_t at_ns; /* time of its position */
};

/* Writes the times of the clocks, at most max; returns their number. */
size_t cbr_times(const struct cbr *, struct cbr_time *ret, size_t max);

/* Call it before the first feed: the PCRs of this PID continue from this time,
 * which is not later than now. */
void cbr_resume(struct cbr *, const struct cbr_time *);

/* The bytes of the memory for cbr_keep(). */
size_t cbr_memory_size(const struct cbr *);

/* Call it before the first feed, not for a multiplex.  If the memory has the
 * state of an output with the same address (a hash), continues that output with
 * its queue, its positions and its clocks.  Stores the state there from now on.
 * The time between the two workers counts as a late wake-up.  The memory begins
 * with a page, is shared and outlives the cbr.  Returns how many packets the
 * last worker was sending when it ended, so that they may be lost. */
size_t cbr_keep(struct cbr *, void *memory, uint64_t address, uint64_t now_ns);

/* The number of packets in the queue. */
size_t cbr_waiting(const struct cbr *);

/* The number of packets of any kind that the queue takes now. */
size_t cbr_room(const struct cbr *);

/* The number of positions that are due because wake-ups were late.  So many of
 * the waiting packets leave at once, without waiting for the rate. */
size_t cbr_late(const struct cbr *);

/* How late the next position is at now_ns because of late wake-ups, ms. */
uint64_t cbr_late_ms(const struct cbr *, uint64_t now_ns);

/* Once a second: frees the memory of a long queue. */
void cbr_every_second(struct cbr *);

void cbr_counters(const struct cbr *, struct cbr_counters *ret);
