/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes RTP time stamps (RFC 2250 2): 90 kHz of the stream's own clock, by the
 * position of a packet between two PCRs, not by its time of arrival.
 *
 * Until two PCRs are known, and where a new time base begins, the clock of the
 * machine continues the time.  The marker bit announces a new time base.
 *
 * Pure.  Embedded.
 */
#pragma once

#include "worker/ts/pcr.h"

struct rtp_clock {
	struct pcr_clock pcr;
	bool follows;       /* the PCRs, from `origin` on */
	bool marked;        /* the next time stamp begins a new time base */
	unsigned paused;    /* PCRs to wait for after a pause ... */
	uint64_t paused_at; /* ... and the packet of the last one */
	bool judged;        /* both arrived */
	uint32_t jumps;     /* time bases of pcr that were announced */
	uint64_t origin;    /* ticks of 27 MHz, of stream time 0 */
	uint64_t last;      /* ticks of the last time stamp ... */
	uint64_t last_ns;   /* ... and when that was */
};

/* start: the first time stamp, any number. */
void rtp_clock_init(struct rtp_clock *, uint32_t start, uint64_t now_ns);

/* The time stamp of a datagram that begins with the next packet, and its marker
 * bit. */
uint32_t rtp_clock_stamp(struct rtp_clock *, uint64_t now_ns,
			 bool *ret_marker);

void rtp_clock_feed(struct rtp_clock *, const uint8_t *packet);
