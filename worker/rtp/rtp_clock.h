/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes RTP time stamps (RFC 2250 2): 90 kHz of the stream's own clock, by the
 * position of a packet between two PCRs, not by its time of arrival.
 *
 * Until two PCRs are known, and where a new time base begins, the clock of the
 * machine continues the time.  The marker bit announces a new time base.
 *
 * Time stamps stay with the clock of the machine: packets that leave in a burst
 * after a stall of the worker or of the source have the time at which they
 * leave, until the burst ends.  No time stamp is in the future.
 *
 * Pure.  Embedded.
 */
#pragma once

#include "worker/ts/pcr.h"

struct rtp_clock {
	struct pcr_clock pcr;
	bool follows;       /* time stamps follow the PCRs */
	bool marked;        /* the next time stamp begins a new time base */
	unsigned paused;    /* PCRs that are still needed after a pause */
	uint64_t paused_at; /* packet number of the last of these PCRs */
	bool judged;        /* all PCRs that a pause needs have arrived */
	uint32_t jumps;     /* pcr.jumps at the last time stamp */
	uint64_t origin;    /* time stamp of stream time 0, in 27 MHz ticks */
	uint64_t last;      /* last time stamp, in 27 MHz ticks */
	uint64_t last_ns;   /* monotonic time of the last time stamp */
	uint64_t due;       /* time stamp of a packet that left in time ... */
	uint64_t due_ns;    /* ... at this monotonic time */
	bool settles;       /* no time stamp may be later than due */
	uint64_t settle_ns; /* since this time, ... */
	int64_t settle_ticks; /* ... and time stamps were reduced by this */
};

/* Starts the clock.  start: the first time stamp, any number. */
void rtp_clock_init(struct rtp_clock *, uint32_t start, uint64_t now_ns);

/* Call it before the first stamp: packets that leave at at_ns have the time
 * `ticks' (27 MHz).  Both are of another process: any number is valid, and a
 * time after that of rtp_clock_init() counts as that. */
void rtp_clock_resume(struct rtp_clock *, uint64_t ticks, uint64_t at_ns);

/* The time, in 27 MHz ticks, of a packet that leaves at now_ns in time. */
uint64_t rtp_clock_due(const struct rtp_clock *, uint64_t now_ns);

/* The time stamp of a datagram that begins with the next packet, and its marker
 * bit. */
uint32_t rtp_clock_stamp(struct rtp_clock *, uint64_t now_ns,
			 bool *ret_marker);

void rtp_clock_feed(struct rtp_clock *, const uint8_t *packet);
