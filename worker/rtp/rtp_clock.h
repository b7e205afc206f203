/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes RTP time stamps (RFC 2250 2): 90 kHz of the stream's own clock.  The
 * stamp of a packet depends on its position between two PCRs, not on its time
 * of arrival.
 *
 * Until two PCRs are known, and at the start of a new time base, the clock of
 * the machine continues the time stamps.  The marker bit announces a new time
 * base.
 *
 * A stamp is never later than the time at which its packet leaves: packets that
 * leave in a burst, after a stall of the worker or of the source, have the time
 * at which they leave, until the burst ends.
 *
 * Pure.  Embedded.
 */
#pragma once

#include "worker/ts/pcr.h"

struct rtp_clock {
	struct pcr_clock pcr;
	bool follows;       /* time stamps follow the PCRs */
	bool marked;        /* the next time stamp begins a new time base */
	unsigned paused;    /* PCRs still needed after a pause of the stream */
	uint64_t paused_at; /* pcr.at_packets at the last PCR after a pause */
	bool judged;        /* the PCRs needed after a pause have arrived */
	uint32_t jumps;     /* pcr.jumps at the last time stamp */
	uint64_t origin;    /* time stamp of stream time 0, in 27 MHz ticks */
	uint64_t last;      /* last time stamp, in 27 MHz ticks */
	uint64_t last_ns;   /* monotonic time of the last time stamp */
	uint64_t due;       /* stamp of a packet that left in time, 27 MHz */
	uint64_t due_ns;    /* monotonic time when the packet of due left */
	bool settles;       /* a burst may last: later stamps than
			     * rtp_clock_due() are reduced to it */
	uint64_t settle_ns; /* start of the current SETTLE_MS */
	int64_t settle_ticks; /* 27 MHz by which stamps were reduced since
			       * settle_ns */
};

/* Starts the clock.  start: the first time stamp (90 kHz), any number. */
void rtp_clock_init(struct rtp_clock *, uint32_t start, uint64_t now_ns);

/* Call it before the first stamp to continue the stamps of another process, in
 * which packets that left at at_ns had the time `ticks' (27 MHz).  Both may
 * have any value; an at_ns after the time of rtp_clock_init() counts as that
 * time. */
void rtp_clock_resume(struct rtp_clock *, uint64_t ticks, uint64_t at_ns);

/* The time stamp, in 27 MHz ticks, of a packet that leaves in time at
 * now_ns. */
uint64_t rtp_clock_due(const struct rtp_clock *, uint64_t now_ns);

/* The time stamp of a datagram that begins with the next packet, and its marker
 * bit. */
uint32_t rtp_clock_stamp(struct rtp_clock *, uint64_t now_ns,
			 bool *ret_marker);

/* Takes the next packet of the stream, after its datagram got a stamp. */
void rtp_clock_feed(struct rtp_clock *, const uint8_t *packet);
