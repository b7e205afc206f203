/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time stamps of RTP (RFC 2250 2): 90 kHz of the clock inside the stream,
 * by the place of a packet between two PCRs and not by when it came or left.
 *
 * Until two PCRs are known, and where a new time base begins, the time goes on
 * by the clock of the machine.  A new time base is announced by the marker.
 *
 * Pure.  Embedded.
 */
#pragma once

#include "worker/ts/pcr.h"

struct rtp_clock {
	struct pcr_clock pcr;
	bool follows;       /* the PCRs, from `origin` on */
	bool marked;        /* the next time stamp begins a new base */
	unsigned paused;    /* PCRs to wait for behind a pause ... */
	uint64_t paused_at; /* ... and where the last one was */
	bool judged;        /* they have come */
	uint32_t jumps;     /* of pcr, that were seen */
	uint64_t origin;    /* ticks of 27 MHz, of stream time 0 */
	uint64_t last;      /* ticks of the last time stamp ... */
	uint64_t last_ns;   /* ... and when that was */
};

/* start: any number of 90 kHz. */
void rtp_clock_init(struct rtp_clock *, uint32_t start, uint64_t now_ns);

/* The time stamp of what begins with the next packet; marker: RFC 2250's. */
uint32_t rtp_clock_stamp(struct rtp_clock *, uint64_t now_ns,
			 bool *ret_marker);

void rtp_clock_feed(struct rtp_clock *, const uint8_t *packet);
